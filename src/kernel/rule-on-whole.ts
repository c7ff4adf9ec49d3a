import type { Json, JsonObject } from '../model/json.ts';
import type { StoredAnswer } from '../model/stored-answer.ts';
import type { Critic } from './derive.ts';
import type { KernelEnv } from './env.ts';
import { specOf } from './spec-of.ts';

interface AnsweredCall {
  readonly tool: string;
  readonly args: JsonObject;
}

/** Rules on a whole answer before it is put aside, as the Critic rules on every other one. */
export function ruleOnWhole(
  verify: Critic['verifyObservation'],
  env: KernelEnv,
  { tool, args }: AnsweredCall,
  now: number,
  raw: Json,
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
  // The preview may show a part that nobody has confirmed; the address and the size are known in any case.
  return { validator, confirmed: ruling.confirmed === 'all' ? 'all' : ['/$blob', '/bytes'], problems: [] };
}
