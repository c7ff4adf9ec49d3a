/** Tests that a step without judges goes to the critic at once, and does not use the opinions on another step. */
import { expect, test } from 'vitest';
import type { JudgeSpec } from '../../../model/critic/judge.ts';
import type { KernelEnv } from '../../env.ts';
import type { Panel } from '../../state/judge-panel.ts';
import type { RunState } from '../../state/run-state.ts';
import { requestStepJudgement } from './judge.ts';

const ANSWERED = {
  about: 'a',
  asked: [{ judge: 'reader@1', criteria: ['clear'] }],
  safer: false,
  answers: [],
} as Panel;
const READER = {
  name: 'reader',
  version: '1',
  applies: { risk_min: 'low', tools: ['read'], run: false },
  criteria: { clear: 'Is it clear?' },
} as unknown as JudgeSpec;

const run = (judges: readonly JudgeSpec[] | undefined, panel: Panel | null) => {
  const env = (judges === undefined ? {} : { judges }) as KernelEnv;
  return requestStepJudgement(env, { intake: { risk: 'low' }, panel } as RunState, { id: 'b', tool: 'write' });
};

test.each<[string, readonly JudgeSpec[] | undefined]>([
  ['there are no judges', undefined],
  ['the list of judges is empty', []],
  ['none looks at its tool', [READER]],
])('goes to the critic if %s', (_, judges) => {
  for (const panel of [null, ANSWERED]) {
    const [next, effects] = run(judges, panel);
    expect(effects).toEqual([{ kind: 'judge_step', step_id: 'b' }]);
    expect(next.panel).toBeNull();
  }
});
