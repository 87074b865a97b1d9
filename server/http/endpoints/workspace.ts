import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import { operations } from '../../../contract/operations.ts';
import type { Limits, Workspace } from '../../../contract/workspace.ts';
import { findPlan, pickLimits } from '../../catalog/accounts/plans.ts';
import { readReserved } from '../../catalog/accounts/quota.ts';
import { findWorkspace, renameWorkspace } from '../../catalog/accounts/workspaces.ts';
import { readReembedProgress } from '../../catalog/embedders.ts';
import { readMediaUsage } from '../../catalog/media/media-totals.ts';
import type { ExtractionSource } from '../../catalog/tables/texts.ts';
import { countPendingPassages } from '../../catalog/texts/passage-states.ts';
import { countPendingExtractions } from '../../catalog/texts/text-extractions.ts';
import { notFoundError } from '../../errors/api-error.ts';
import { addSamples } from '../../uploads/add-samples.ts';
import { serveMemberOperation } from '../auth/session-auth.ts';
import type { Dependencies } from '../dependencies.ts';
import { serveOperation } from '../operations/serve-operation.ts';
import { describeSessionByToken } from './session.ts';

/** `GET /workspace`. */
function serveGetWorkspace(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, searchCounter, embedding, recognised, speech } = dependencies;
  const stateOf = (source: ExtractionSource) => (recognised.includes(source) ? ('on' as const) : ('off' as const));
  serveOperation(app, operations.getWorkspace, async ({ workspaceId }) => {
    const workspace = await findWorkspace(db, workspaceId);
    if (!workspace) throw notFoundError('workspace');
    const reserved = await readReserved(db, workspaceId);
    const usage = {
      ...(await readMediaUsage(db, workspaceId)),
      ...(await searchCounter.read(workspaceId)),
      open_uploads: { media_items: reserved.items, storage_bytes: reserved.bytes },
    };
    const plan = await findPlan(db, workspaceId);
    const limits = pickLimits(plan);
    const waiting = await countPendingExtractions(db, workspaceId);
    const embedder = await embedding.getActiveEmbedder(workspaceId);
    return {
      data: {
        id: workspace.id,
        name: workspace.name,
        created_at: workspace.created_at,
        plan: { id: plan.id, name: plan.name, limits },
        usage,
        quota: computeRemaining(limits, usage),
        embedder: {
          id: embedder.id,
          kind: embedder.kind,
          dimensions: embedder.dimensions,
          reindexing: await readReembedProgress(db, workspaceId),
          target: embedding.target().id,
          download: embedding.download(),
          problem: embedding.problem(),
        },
        text_extraction: {
          ocr: { state: stateOf('ocr'), pending: waiting.ocr },
          speech: {
            state: stateOf('speech'),
            pending: waiting.speech,
            model: speech.model()?.name ?? null,
            problem: speech.problem(),
          },
          meaning: { pending: await countPendingPassages(db, workspaceId) },
        },
      },
    };
  });
}

function computeRemaining(limits: Limits, usage: Workspace['usage']): Limits {
  const left = (key: keyof Limits, reserved = 0) => {
    const limit = limits[key];
    return limit === null ? null : Math.max(0, limit - usage[key] - reserved);
  };
  return {
    storage_bytes: left('storage_bytes', usage.open_uploads.storage_bytes),
    media_items: left('media_items', usage.open_uploads.media_items),
    indexed_seconds: left('indexed_seconds'),
    searches_per_month: left('searches_per_month'),
  };
}

/** Drawing all of them takes some seconds; a slow machine gets more. */
const timeoutSeconds = 180;

/** `PATCH /manage/workspace`. */
function serveRenameWorkspace(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveMemberOperation(app, db, dashboardOperations.renameWorkspace, async ({ workspaceId, body, member }) => {
    await renameWorkspace(db, workspaceId, body.name);
    return { data: await describeSessionByToken(dependencies, member.token) };
  });
}

/** The operations on the workspace. */
export function serveWorkspace(app: FastifyInstance, dependencies: Dependencies): void {
  serveGetWorkspace(app, dependencies);
}

/** The operations on the workspace that the dashboard alone offers. */
export function manageWorkspace(app: FastifyInstance, dependencies: Dependencies): void {
  serveMemberOperation(
    app,
    dependencies.db,
    dashboardOperations.loadSamples,
    async ({ workspaceId, signal }) => ({ data: { added: await addSamples(dependencies, workspaceId, signal) } }),
    { kind: 'heavy', timeoutSeconds },
  );

  serveRenameWorkspace(app, dependencies);
}
