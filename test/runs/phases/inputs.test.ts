/** A run requires four inputs, and each run has its own run context. */
import { expect } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import { createHost, type HostOptions } from '../../../src/session/host.ts';
import type { RunPins } from '../../../src/session/perform/effects.ts';
import { verifies } from '../../requirements/verifies.ts';
import { partsOf } from '../graphs/kernel.ts';
import { agentFor, planOf, type RigOptions, rig } from '../rig.ts';

const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
};
const ID = 'context:inputs:four-required';

const missing: readonly (readonly [RegExp, (pins: RunPins) => unknown])[] = [
  [/compiled context/, (pins) => ({ ...pins, context: undefined })],
  [/run context with a budget/, ({ agent: { budget: _, ...agent }, ...pins }) => ({ ...pins, agent })],
  [/decision registry/, ({ env: { catalog: _, ...env }, ...pins }) => ({ ...pins, env })],
  [/tool registry/, (pins) => ({ ...pins, registry: null })],
];
for (const [named, without] of missing) {
  verifies(ID, `names the missing input: ${named.source}`, async () => {
    const parts = partsOf(OPTIONS);
    let asked = 0;
    const planner = {
      propose: () => {
        asked += 1;
        return Promise.reject(new Error('must not be called'));
      },
    };
    const pins = without(parts.pins) as RunPins;
    const start = (): unknown => createHost({ ...parts, pins, ports: { ...parts.ports, planner } } as HostOptions);
    expect(start).toThrow(expect.objectContaining({ code: 'input_missing' }));
    expect(start).toThrow(named);
    expect([asked, await parts.journal.list({})]).toEqual([0, []]);
  });
}

verifies(ID, '`ambit()` names missing inputs as well', () => {
  const full = { agent: agentFor([]), tools: [], planner: { propose: () => Promise.reject(new Error()) } };
  const { tools: _, ...toolless } = full;
  expect(() => ambit(toolless as unknown as typeof full)).toThrow(/tool registry/);
  const world = { context: null } as unknown as object;
  expect(() => ambit({ ...full, world })).toThrow(/compiled context/);
});

verifies('context:run:one-per-orchestrator-run', 'rejects a second run on a run context in use', async () => {
  const names = { next: (prefix: string) => `${prefix}_always_the_same` };
  const bench = rig({ ...OPTIONS, plans: [...(OPTIONS.plans ?? []), ...(OPTIONS.plans ?? [])], world: { ids: names } });
  const first = bench.invoke();
  const other = { goal: { statement: 'Do other work' } };
  await expect(bench.invoke(other)).rejects.toMatchObject({ code: 'run_context_in_use' });
  expect((await first).terminalCode).toBe('SUCCESS');
  await expect(bench.invoke(other)).rejects.toMatchObject({ code: 'run_context_in_use' });
  expect(bench.planner.requests).toHaveLength(1);
  const events = await bench.events('run_always_the_same');
  expect(events.filter(({ type }) => type === 'goal_received')).toHaveLength(1);
  expect(events.filter(({ type }) => type === 'run_terminated')).toHaveLength(1);
});
