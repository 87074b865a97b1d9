import type { VisionModel } from '@media-search/models/vision-model';
import type { EngineHit } from '../hits.ts';
import { judgeInOrder, type Verdicts } from './judge-in-order.ts';
import { type RerankContext, type RerankDependencies, runWhenFree, withMediaSpan } from './rerank-context.ts';

/** Questions to the vision-language model at a time. */
const maxConcurrentQuestions = 4;

/** Asks the vision-language model of each hit whether its frames show what the sentence says. */
export async function judgeByVisionModel(
  { assets, queryPool }: RerankDependencies,
  visionModel: VisionModel,
  sentence: string,
  { workspaceId, hits, deadline, whileWaiting }: RerankContext,
): Promise<Verdicts> {
  // One hit at a time is read, so that the frames of the best are there first and other requests get their turn in between.
  let reading: Promise<unknown> = Promise.resolve();
  const judge = (place: number) => {
    const hit = hits[place] as EngineHit;
    const readFrames = () => {
      const frames = reading.then(() =>
        withMediaSpan(assets, workspaceId, hit, (span) =>
          runWhenFree(queryPool, workspaceId, { kind: 'frames', span }, deadline),
        ),
      );
      reading = frames.catch(() => undefined);
      return frames;
    };
    return visionModel.judge(sentence, hit.chunk.id, readFrames, deadline);
  };
  return whileWaiting(() => judgeInOrder([...hits.keys()], judge, maxConcurrentQuestions, deadline));
}
