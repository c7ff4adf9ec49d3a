/** An invalid decision returns to the model with the problems, twice, and then to the kernel. */
import { expect, test } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { of } from '../planning/bench.ts';
import { CAPS } from '../rig.ts';
import { decide, reactiveBench, shownTo } from './bench.ts';

const TOOLS = { look: {}, finish: { produces: ['done'] } };
const GOOD = decide('finish');
const TELEPORT = decide('teleport');
const NO_REPLAN = { ...CAPS, replan_attempts_max: 0 };
const ENDING = { limits: { onEscalate: 'end' as const } };

verifies(
  'reactive:retry:feedback-appended',
  'the second prompt names the problem and the available tools',
  async () => {
    const bench = reactiveBench([TELEPORT, GOOD], { tools: TOOLS });
    const run = await bench.invoke();
    expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
    const shown = shownTo(bench.model, 1);
    expect(shown).toContain('hallucinated_capability');
    expect(shown).toContain('no such tool: teleport');
    for (const name of ['look', 'finish', 'respond', 'clarify']) expect(shown).toContain(name);
  },
);

const KINDS: readonly (readonly [string, object | string])[] = [
  ['a capability that does not exist', TELEPORT],
  ['an unfilled context key', decide('finish', {}, { inputs: ['nope'] })],
  ['a plan without a step', { steps: [] }],
  ['prose', 'I would finish now.'],
];

for (const [kind, bad] of KINDS) {
  verifies(
    'reactive:retry:three-failure-kinds',
    `${kind} is corrected in two requests, and the journal contains only the valid plan`,
    async () => {
      const bench = reactiveBench([bad, GOOD], { tools: TOOLS, caps: NO_REPLAN });
      const run = await bench.invoke();
      expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
      expect(bench.model.prompts).toHaveLength(2);
      const verdicts = of(await bench.events(run.runId), 'plan_verified').map(({ verdict }) => verdict);
      expect(verdicts).toEqual(['ok']);
    },
  );
}

verifies('reactive:retry:two-extra-attempts', 'passes the error on after three bad answers', async () => {
  const bench = reactiveBench([TELEPORT, TELEPORT, TELEPORT], { tools: TOOLS, caps: NO_REPLAN, options: ENDING });
  const run = await bench.invoke();
  expect(bench.model.prompts).toHaveLength(3);
  expect(run).toMatchObject({ status: 'failed', terminalCode: 'VALIDATION_FAIL' });
  const [refused] = of(await bench.events(run.runId), 'plan_verified');
  expect(refused?.problems).toMatchObject([{ code: 'hallucinated_capability', detail: { unknown: ['teleport'] } }]);
  expect(bench.dispatches).toEqual([]);
});

verifies('reactive:retry:two-extra-attempts', 'accepts a good third answer', async () => {
  const bench = reactiveBench([TELEPORT, { steps: [] }, GOOD], { tools: TOOLS, caps: NO_REPLAN });
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.model.prompts).toHaveLength(3);
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['finish']);
});

test('a replan tells the model why', async () => {
  const bench = reactiveBench([TELEPORT, TELEPORT, TELEPORT, GOOD], { tools: TOOLS });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(shownTo(bench.model, 3)).toContain('hallucinated_capability');
});
