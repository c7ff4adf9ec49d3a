import { deepEqual, equal } from 'node:assert/strict';
import { z } from 'zod';
import { ambit, tool } from '../../../../src/index.ts';
import type { PageFixture } from '../../page.ts';
import { ADA, step, written } from '../parts.ts';

export const run: PageFixture = async ({ load }) => {
  const { investigate } = await load(1);
  const logs = tool({
    name: 'logs.search',
    description: 'Counts the errors of a service',
    approvalMode: 'read_only',
    inputSchema: z.object({ service: z.string() }),
    outputSchema: z.object({ errors: z.int() }),
    execute: () => ({ errors: 3 }),
    effects: { produces: ['error_count'] },
  });
  const search = { ...step('logs.search', { service: { $slot: 'service' } }), context_key: 'error_count' };
  const worker = written({ name: 'investigator', tools: [logs] }, [search]);
  const lane = investigate(worker);
  const agent = written({ tools: [lane, logs], budget: { profile: 'standard', lanesMax: 1 } }, [
    step('investigate', { service: 'billing' }),
  ]);
  const runtime = ambit({ agent });
  const outcome = await runtime.invoke('billing', { message: 'Count the errors of billing', user: ADA });
  equal(outcome.terminalCode, 'SUCCESS', JSON.stringify(outcome));

  const { read, write, wait } = await load(2);
  deepEqual(
    [read, write, wait].map(({ spec }) => spec.name),
    ['case.researcher.read', 'case.researcher.write', 'case.researcher.wait'],
  );
};
