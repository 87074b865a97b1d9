import type { QuotaViolation } from '../catalog/accounts/quota.ts';

/** The attempt ends before its work does, because the service stops or a more urgent job waits. The job goes back to the queue. */
export class StoppedError extends Error {
  override name = 'StoppedError';

  constructor(message = 'The service is stopping.') {
    super(message);
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
