import type { LostItem } from '../../../assets/lost-and-found.ts';
import type { Dependencies } from '../../dependencies.ts';

/** The files of a workspace in lost+found. */
export async function listLostItems({ lostAndFound }: Dependencies, workspaceId: string): Promise<LostItem[]> {
  return (await lostAndFound.list()).filter((lost) => lost.workspace_id === workspaceId);
}
