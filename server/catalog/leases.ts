/** How long a silent worker keeps its job. */
const leaseSeconds = 30;

/** When a lease that begins or is renewed now runs out. */
export const leaseEnd = (): string => new Date(Date.now() + leaseSeconds * 1000).toISOString();
