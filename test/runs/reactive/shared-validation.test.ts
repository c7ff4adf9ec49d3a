/** One function validates a step's tool and inputs, for complete plans and for single steps. */
import { expect } from 'vitest';
import type { ToolTable } from '../../../src/kernel/verify/tool-table.ts';
import type { FaultCode } from '../../../src/model/fault/fault.ts';
import type { Problem } from '../../../src/model/json/problem.ts';
import { verifies } from '../../requirements/verifies.ts';
import { proposed, turns } from '../endings/turns.ts';
import { of, plan, plannedStep, planningBench } from '../planning/bench.ts';
import { CAPS, planOf } from '../rig.ts';
import { reactiveBench } from './bench.ts';

const TOOLS = { look: {}, finish: { produces: ['done'] } };
const OPTIONS = {
  tools: TOOLS,
  caps: { ...CAPS, replan_attempts_max: 0 },
  options: { limits: { onEscalate: 'end' as const } },
};

/** The problems a run reports for a plan with one bad step. */
async function problemsOf(bench: ReturnType<typeof planningBench>): Promise<readonly Problem[]> {
  const run = await bench.invoke();
  expect(run).toMatchObject({ status: 'failed', terminalCode: 'VALIDATION_FAIL' });
  return of(await bench.events(run.runId), 'plan_verified').at(-1)?.problems ?? [];
}

const BAD: readonly (readonly [FaultCode, object])[] = [
  ['hallucinated_capability', plannedStep('r1', 'teleport', {}, { context_key: 'k' })],
  ['invalid_context_key', plannedStep('r1', 'finish', {}, { context_key: 'k', inputs: ['nope'] })],
];

for (const [code, bad] of BAD) {
  verifies('validate:step:shared-by-both-modes', `the same bad step is the same ${code} in both modes`, async () => {
    const stepwise = await problemsOf(reactiveBench([plan(bad), plan(bad), plan(bad)], OPTIONS));
    // A complete plan gets its ending after the bad step; the check does not complain about it.
    const planFirst = await problemsOf(planningBench([plan(bad), plan(bad), plan(bad)], OPTIONS));
    expect(stepwise).toHaveLength(1);
    expect(stepwise[0]?.code).toBe(code);
    expect(planFirst.map(({ code: each, message, path }) => [each, message, path])).toEqual(
      stepwise.map(({ code: each, message, path }) => [each, message, path]),
    );
  });
}

verifies('validate:step:shared-by-both-modes', 'both modes look up the tool in the same function', () => {
  for (const planning of ['whole', 'stepwise'] as const) {
    const askers = new Set<string>();
    const run = turns({
      tools: TOOLS,
      options: { graph: planning === 'whole' ? 'plan_first' : 'reactive', limits: { planning } },
      change: ({ env }) => ({ env: { ...env, tools: spied(env.tools, askers) } }),
    });
    run.say(proposed(planOf([{ id: 's1', tool: 'teleport' }])));
    expect(run.events.at(-1)).toMatchObject({ type: 'plan_verified', problems: [{ code: 'hallucinated_capability' }] });
    expect([...askers]).toContain('validateStep');
  }
});

/** The same tools, recording which functions look up the missing one. */
const spied = (tools: ToolTable, askers: Set<string>): ToolTable => ({
  ...tools,
  get: (name) => {
    const callers = (new Error('stack').stack ?? '').matchAll(/^ +at (\w+) /gm);
    if (name === 'teleport') for (const [, caller = ''] of callers) askers.add(caller);
    return tools.get(name);
  },
});
