/** Proves that a step that no judge looks at goes to the Critic at once, and is not judged by what was said of another. */
import { expect, test } from 'vitest';
import type { JudgeSpec } from '../../model/judge.ts';
import type { KernelEnv } from '../env.ts';
import type { RunState } from '../state.ts';
import { judgeStep } from './ask-judges.ts';
import type { Panel } from './panel.ts';

const HEARD = { about: 'a', asked: [{ judge: 'reader@1', criteria: ['clear'] }], safer: false, answers: [] } as Panel;
const READER = {
  name: 'reader',
  version: '1',
  applies: { risk_min: 'low', tools: ['read'], run: false },
  criteria: { clear: 'Is it clear?' },
} as unknown as JudgeSpec;

const asked = (judges: readonly JudgeSpec[] | undefined, panel: Panel | null) => {
  const env = (judges === undefined ? {} : { judges }) as KernelEnv;
  return judgeStep(env, { intake: { risk: 'low' }, panel } as RunState, { id: 'b', tool: 'write' });
};

test.each<[string, readonly JudgeSpec[] | undefined]>([
  ['there are no judges', undefined],
  ['the list of judges is empty', []],
  ['none looks at its tool', [READER]],
])('where %s', (_, judges) => {
  for (const panel of [null, HEARD]) {
    const [next, effects] = asked(judges, panel);
    expect(effects).toEqual([{ kind: 'judge_step', step_id: 'b' }]);
    expect(next.panel).toBeNull();
  }
});
