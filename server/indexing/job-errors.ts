import type { QuotaViolation } from '../catalog/quota.ts';

/** The service stops, and with it the attempt. */
export class StoppedError extends Error {
  override name = 'StoppedError';

  constructor() {
    super('The service is stopping.');
  }
}

/** The item was deleted, or another worker has its job. Nothing of the attempt counts any more. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';

  constructor() {
    super('The item was deleted, or another worker took its job.');
  }
}

/** The plan has no quota left for this video. */
export class OverQuotaError extends Error {
  override name = 'OverQuotaError';
  readonly violation: QuotaViolation;

  constructor(violation: QuotaViolation) {
    super('The plan has no room for this.');
    this.violation = violation;
  }
}
