/** Calls that run at the same time are charged one by one: no charge is lost, and no cap is exceeded together. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { CAPS, planOf, type RigTool, rig } from '../rig.ts';

const NAMES = ['north', 'east', 'south', 'west'];

/** A tool that fails twice and then answers. */
function flaky(produces: string): RigTool {
  let tries = 0;
  return {
    retries_max: 3,
    produces: [produces],
    execute: () => {
      tries += 1;
      if (tries < 3) throw new Error('not now');
      return { ok: true };
    },
  };
}

interface Spent {
  readonly terminalCode: string | null;
  readonly dispatched: number;
  readonly used: number | undefined;
}

/** Runs four flaky steps in parallel, which make twelve calls in three rounds if the cap permits. */
async function spend(tool_calls_max: number): Promise<Spent> {
  const bench = rig({
    tools: { ...Object.fromEntries(NAMES.map((name) => [name, flaky(name)])), finish: { produces: ['done'] } },
    plans: [
      planOf([...NAMES.map((name) => ({ id: name, tool: name })), { id: 'end', tool: 'finish', depends_on: NAMES }]),
    ],
    caps: { ...CAPS, tool_calls_max, retry_count_max: 50, lanes_max: 20 },
    options: { limits: { parallelSteps: 4, onEscalate: 'end' } },
  });
  const { runId, terminalCode } = await bench.invoke();
  const { state } = await bench.runtime.records.replay(runId);
  return { terminalCode, dispatched: bench.dispatches.length, used: state.budget?.used.tool_calls };
}

verifies('budget:accumulators:atomic', 'counts each of twelve parallel calls and one more', async () => {
  expect(await spend(13)).toEqual({ terminalCode: 'SUCCESS', dispatched: 13, used: 13 });
});

verifies('budget:accumulators:atomic', 'parallel calls never exceed a cap together', async () => {
  for (const cap of [5, 6, 7, 8, 9, 10, 11, 12]) {
    const { terminalCode, dispatched, used } = await spend(cap);
    expect([cap, terminalCode, used]).toEqual([cap, 'BUDGET_EXHAUSTED', dispatched]);
    // A round of four starts only if the last step can follow.
    expect(dispatched).toBe(cap < 9 ? 4 : 8);
  }
});
