/** A request is validated before a run exists, and the run is stored before work starts. */
import { expect } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { RunRequest } from '../../../src/model/run/run-request.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import type { SessionRow } from '../../../src/ports/journal/rows.ts';
import { verifies } from '../../requirements/verifies.ts';
import { outage } from '../graphs/journals.ts';
import { planOf, REQUEST, type RigOptions, rig } from '../rig.ts';

const OPTIONS: RigOptions = {
  tools: { finish: { produces: ['done'] } },
  plans: [planOf([{ id: 'a', tool: 'finish' }])],
};

for (const field of ['tenant_id', 'intent'] as const) {
  verifies('session:spawn:envelope-validated', `without ${field} there is no run context and no row`, async () => {
    const { [field]: _, ...request } = REQUEST;
    const names: string[] = [];
    const ids = {
      next: (prefix: string) => {
        names.push(prefix);
        return `${prefix}_${names.length}`;
      },
    };
    const bench = rig({ ...OPTIONS, world: { ids } });
    await expect(bench.runtime.invoke(request as unknown as RunRequest)).rejects.toMatchObject({
      code: 'envelope_invalid',
    });
    expect(names).toEqual(['writer']);
    expect(await bench.journal.list({})).toEqual([]);
    expect(bench.planner.requests).toEqual([]);
  });
}

verifies('session:spawn:row-before-any-plane', 'does not call the planner without a row', async () => {
  const { journal } = outage(() => true, Number.POSITIVE_INFINITY);
  const bench = rig({ ...OPTIONS, world: { journal } });
  await expect(bench.invoke()).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(bench.planner.requests).toEqual([]);
});

verifies('session:spawn:row-before-any-plane', 'the row is readable at the first planner call', async () => {
  const rows: (readonly SessionRow[])[] = [];
  const spent = NO_COST;
  const planner = {
    propose: async () => {
      rows.push(await bench.journal.list({}));
      return { proposal: OPTIONS.plans?.[0], author: 'model', spent, contextTokens: 0 };
    },
  };
  const bench = rig({ ...OPTIONS, options: { planner } as NonNullable<RigOptions['options']> });
  await bench.invoke();
  expect(rows).toMatchObject([[{ session_id: 'run_1', status: 'in_progress', node: 'plan', tenant_id: 'tenant_a' }]]);
});

verifies('session:spawn:short-duration-refused', 'rejects a session one millisecond below an hour', async () => {
  const long = (ms: number): JsonObject => ({ mode: 'long_running', runtime: { max_session_duration_ms: ms } });
  const bench = rig(OPTIONS);
  await expect(bench.invoke(long(3_599_999))).rejects.toMatchObject({ code: 'session_duration_too_short' });
  await expect(bench.invoke({ mode: 'long_running' })).rejects.toMatchObject({ code: 'session_duration_too_short' });
  expect(await bench.journal.list({})).toEqual([]);
  expect((await bench.invoke(long(3_600_000))).terminalCode).toBe('SUCCESS');
});
