/** What a text, its tree and its evaluation may cost. Lengths are in UTF-16 units. */
export const templateLimits = {
  /** A text with expressions in it; text without any may have every length. */
  template: 256 * 1024,
  /** One expression, or a condition. */
  expression: 16 * 1024,
  /** Parentheses, lists, `not` and filters inside each other. */
  depth: 64,
  /** A rendered text, and a text between two filters. */
  rendered: 8 * 1024 * 1024,
  /** Lists and objects inside each other, in data. */
  dataDepth: 256,
  /** Steps of one evaluation: one per character that is read or written, and the two below. */
  work: 128 * 1024 * 1024,
  /** Steps for looking at one place of a list or an object, and for copying it. */
  lookWork: 8,
  copyWork: 32,
} as const;

/** Counts steps, so that a limit does not depend on the speed of a machine. */
export class WorkMeter {
  steps = 0;
  readonly limit: number;

  constructor(limit: number = templateLimits.work) {
    this.limit = limit;
  }

  /** False when the limit is passed: the work is not to be done. */
  spend(steps: number): boolean {
    this.steps += steps;
    return this.steps <= this.limit;
  }
}
