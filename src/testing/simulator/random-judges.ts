import type { JudgeSpec } from '../../model/judge.ts';
import { RISK_CLASSES } from '../../model/risk.ts';
import type { ToolSpec } from '../../model/tool.ts';
import { prng as dice } from './prng.ts';

/** Apart from every other seed that is drawn from the same number. */
const SALT = 0x6a75_6467;

/** Most runs are judged by rules alone. By dice of its own, so that what was found with a seed is found with it again. */
export function randomJudges(seed: number, tools: readonly ToolSpec[]): readonly { readonly spec: JudgeSpec }[] {
  const prng = dice(seed ^ SALT);
  if (!prng.chance(0.25)) return [];
  const cost = { input_tokens: prng.int(0, 20), output_tokens: prng.int(0, 5), microusd: prng.int(0, 100) };
  const names = ['tone', 'facts', 'style'].slice(0, prng.int(1, 3));
  return names.map((name) => ({
    spec: {
      name,
      version: '1',
      criteria: { [name]: `The ${name} is right.` },
      applies: {
        tools: prng.chance(0.5) ? 'all' : prng.some(tools, 0.5).map((tool) => tool.name),
        run: prng.chance(0.7),
        risk_min: prng.pick(RISK_CLASSES),
      },
      cost,
      safer_cost: prng.chance(0.5) ? cost : null,
    },
  }));
}
