/** A figure of quality, and what it has to be at least. */
export type Quality = { name: string; value: number; least: number };

/**
 * Names the figures that are below what is expected on standard error, and lets the process exit with 1 when it ends: a figure of speed
 * says nothing beside wrong answers. What is not a number is below.
 */
export function expectQuality(figures: Quality[]): void {
  const missed = figures.filter(({ value, least }) => !(value >= least));
  for (const { name, value, least } of missed) {
    console.error(`Wrong answers: ${name} is ${value.toFixed(3)}, expected at least ${least}.`);
  }
  if (missed.length > 0 || figures.length === 0) process.exitCode = 1;
}
