import { Fault } from '../../model/fault/fault.ts';

/**
 * The most that one policy may hold. The engine is a WebAssembly instance with a small stack: a policy that overflows it
 * makes every later use of the instance fail. The stack holds 110 nested brackets while a policy is parsed, and 360
 * nested expressions while it is evaluated.
 */
const LIMITS = { brackets: 40, conditionals: 40, depth: 150, operators: 1_000 } as const;

type Limit = keyof typeof LIMITS;

const LENGTH_MAX = 4_194_304;

/** A comment, which a carriage return also ends; a text, a name, an operator of two characters, or a character. */
const TOKEN = /\/\/[^\n\r]*|"(?:[^"\\]|\\[\s\S])*"?|\w+|[&|=!<>]{2}|\S/gu;

const OPERATORS: ReadonlySet<string> = new Set([
  '==',
  '!=',
  '<=',
  '>=',
  '<',
  '>',
  '+',
  '-',
  '*',
  '.',
  '[',
  '!',
  '!!',
  '::',
  'has',
  'in',
  'is',
  'like',
]);

/** Operators of the weakest binding, whose operands hold the others. The conditions of one policy are joined like `&&`. */
const JOINTS: ReadonlySet<string> = new Set(['&&', '||', 'if', 'when', 'unless']);

/** Tokens after which another operand begins. */
const SEPARATORS: ReadonlySet<string> = new Set([...JOINTS, 'then', 'else', ',']);

/** The contents of one pair of brackets, or of a policy. */
interface Level {
  joints: number;
  /** The operators of the current operand. Each may take the one before it as its operand: `1 + 1 + 1` has depth 2. */
  run: number;
  /** The depth of the deepest brackets of the current operand. */
  inner: number;
  /** The depth of the deepest operand so far. */
  operand: number;
}

const newLevel = (): Level => ({ joints: 0, run: 0, inner: 0, operand: 0 });

/** The depth of a level, with brackets in its current operand that are not closed yet. */
const depthOf = ({ joints, run, inner, operand }: Level, open = 0): number =>
  joints + Math.max(operand, run + Math.max(inner, open));

/** Measures one policy after the other, token by token. */
class Measure {
  #levels: readonly [Level, ...Level[]] = [newLevel()];
  #counts = { conditionals: 0, operators: 0 };

  /** Adds a token. Returns the first limit that the policy now exceeds. */
  add(token: string): Limit | null {
    if (token === ';' && this.#levels.length === 1) this.#reset();
    const level = this.#levels[0];
    const [isJoint, isOperator, opens] = [JOINTS.has(token), OPERATORS.has(token), '([{'.includes(token)];
    if (SEPARATORS.has(token)) Object.assign(level, { operand: depthOf(level) - level.joints, run: 0, inner: 0 });
    if (isJoint) level.joints += 1;
    if (isOperator) level.run += 1;
    if (isJoint || isOperator) this.#counts.operators += 1;
    if (token === 'if') this.#counts.conditionals += 1;
    if (opens) this.#levels = [newLevel(), ...this.#levels];
    else if (')]}'.includes(token)) this.#close();
    return isJoint || isOperator || opens ? this.#exceeded() : null;
  }

  #reset(): void {
    this.#levels = [newLevel()];
    this.#counts = { conditionals: 0, operators: 0 };
  }

  #close(): void {
    const [closed, outer, ...rest] = this.#levels;
    if (outer === undefined) return;
    outer.inner = Math.max(outer.inner, 1 + depthOf(closed));
    this.#levels = [outer, ...rest];
  }

  #exceeded(): Limit | null {
    const { conditionals, operators } = this.#counts;
    const [innermost, ...outer] = this.#levels;
    const depth = outer.reduce((inside, level) => depthOf(level, 1 + inside), depthOf(innermost));
    const brackets = this.#levels.length - 1;
    const counts: Readonly<Record<Limit, number>> = { brackets, conditionals, depth, operators };
    return (Object.keys(LIMITS) as Limit[]).find((limit) => counts[limit] > LIMITS[limit]) ?? null;
  }
}

/** Throws `policy_invalid` for a text that the engine could not parse or evaluate within its stack. */
export function assertBounded(file: string, text: string): void {
  if (text.length > LENGTH_MAX) throw new Fault('policy_invalid', `${file}: is longer than ${LENGTH_MAX} characters`);
  const measure = new Measure();
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const limit = measure.add(token);
    if (limit !== null) throw tooLarge(file, text.slice(0, index), limit);
  }
}

const EXCEEDS: Readonly<Record<Limit, string>> = {
  brackets: `nests brackets deeper than ${LIMITS.brackets}`,
  conditionals: `has more than ${LIMITS.conditionals} conditionals`,
  depth: `chains or nests more than ${LIMITS.depth} operators`,
  operators: `has more than ${LIMITS.operators} operators`,
};

function tooLarge(file: string, before: string, limit: Limit): Fault {
  const line = before.split('\n').length;
  return new Fault('policy_invalid', `${file}:${line}: the policy ${EXCEEDS[limit]}: split it into several policies`);
}
