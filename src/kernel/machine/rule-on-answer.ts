import type { Json, JsonObject } from '../../model/json/json.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { type StoredAnswer, storedParts } from '../../model/json/stored-answer.ts';
import type { KernelEnv } from '../env.ts';
import { specOf } from '../query/plan/tools.ts';
import type { Critic } from './derive.ts';

interface AnsweredCall {
  readonly tool: string;
  readonly args: JsonObject;
}

/** Rules on a complete answer that is stored outside the journal. `aside` is the reference that replaces it. */
export function ruleOnStoredAnswer(
  verify: Critic['verifyObservation'],
  env: KernelEnv,
  { tool, args }: AnsweredCall,
  now: number,
  raw: Json,
  reference: Json,
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
  // Keeps the confirmed parts of the preview. The address and the size are always confirmed.
  const { confirmed } = ruling;
  const shown = storedParts(reference)
    .filter((place) => confirmed.some((known) => place === known || place.startsWith(`${known}/`)))
    .map((place) => `/parts${pointerToken(place)}`);
  return { validator, confirmed: ['/$blob', '/bytes', ...shown], problems: [] };
}
