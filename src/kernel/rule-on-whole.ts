import type { Json, JsonObject } from '../model/json.ts';
import { pointerToken } from '../model/pointer.ts';
import { type StoredAnswer, storedParts } from '../model/stored-answer.ts';
import type { Critic } from './derive.ts';
import type { KernelEnv } from './env.ts';
import { specOf } from './spec-of.ts';

interface AnsweredCall {
  readonly tool: string;
  readonly args: JsonObject;
}

/** Rules on a whole answer as the Critic rules on every other one; `aside` is what stands in its place. */
export function ruleOnWhole(
  verify: Critic['verifyObservation'],
  env: KernelEnv,
  { tool, args }: AnsweredCall,
  now: number,
  raw: Json,
  aside: Json,
): StoredAnswer {
  const ruling = verify({
    spec: specOf(env, tool),
    outcome: 'ok',
    raw,
    check: (value) => env.tools.checkOutput(tool, value),
    call: { args, now, hash: env.hash },
  });
  const { validator } = ruling;
  if (!ruling.ok) return { validator, confirmed: [], problems: ruling.problems };
  if (ruling.confirmed === 'all') return { validator, confirmed: 'all', problems: [] };
  // The preview may show a part that nobody has confirmed; the address and the size are known in any case.
  const { confirmed } = ruling;
  const shown = storedParts(aside)
    .filter((place) => confirmed.some((known) => place === known || place.startsWith(`${known}/`)))
    .map((place) => `/parts${pointerToken(place)}`);
  return { validator, confirmed: ['/$blob', '/bytes', ...shown], problems: [] };
}
