import { Fault } from '../../model/fault/fault.ts';

/**
 * The most that one policy may hold. The engine is a WebAssembly instance with a small stack: a policy that overflows it
 * makes every later use of the instance fail.
 */
const LIMITS = { brackets: 40, conditionals: 40, operators: 1_000 } as const;

const LENGTH_MAX = 4_194_304;

/** A comment, a text, a name, an operator of two characters, or a character. */
const TOKEN = /\/\/[^\n]*|"(?:[^"\\]|\\[\s\S])*"?|\w+|[&|=!<>]{2}|\S/gu;

const OPERATORS: ReadonlySet<string> = new Set([
  '&&',
  '||',
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

/** Throws `policy_invalid` for a text that the engine could not parse within its stack. */
export function assertBounded(file: string, text: string): void {
  if (text.length > LENGTH_MAX) throw new Fault('policy_invalid', `${file}: is longer than ${LENGTH_MAX} characters`);
  let counts = { brackets: 0, conditionals: 0, operators: 0 };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === ';' && counts.brackets === 0) counts = { brackets: 0, conditionals: 0, operators: 0 };
    else if ('([{'.includes(token)) counts.brackets += 1;
    else if (')]}'.includes(token)) counts.brackets = Math.max(0, counts.brackets - 1);
    else if (token === 'if') counts.conditionals += 1;
    if (OPERATORS.has(token)) counts.operators += 1;
    for (const [what, most] of Object.entries(LIMITS)) {
      if (counts[what as keyof typeof LIMITS] > most) throw tooLarge(file, text.slice(0, index), what, most);
    }
  }
}

function tooLarge(file: string, before: string, what: string, most: number): Fault {
  const line = before.split('\n').length;
  const limit = what === 'brackets' ? `nests brackets deeper than ${most}` : `has more than ${most} ${what}`;
  return new Fault('policy_invalid', `${file}:${line}: the policy ${limit}: split it into several policies`);
}
