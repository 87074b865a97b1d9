/**
 * Scatters whole numbers over 32 bits, so that what comes in regular distances does not stay regular; the upper bits are scattered best (Knuth, The Art of
 * Computer Programming 3, 6.4).
 */
export const multiplicativeHash = (number: number): number => Math.imul(number, 0x9e3779b1) >>> 0;
