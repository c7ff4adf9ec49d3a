/** Refused calls do not delay later ones. */
import { expect, test } from 'vitest';
import { toolSpec } from '../../../test/runs/rig.ts';
import { createRates } from '../limits/rates.ts';
import type { ProposedCall } from './layer.ts';
import { rateLayer } from './rate.ts';

const spec = toolSpec('pay', { limits: { rate: { calls: 1, per_ms: 600_000 } } });

const callAt = (id: string, now: number): ProposedCall =>
  ({
    run: { runId: 'run_1', tenantId: 'acme', agent: 'worker' },
    step: { id, tool: 'pay' },
    attempt: 1,
    argsHash: 'sha256:1',
    spec,
    now,
  }) as unknown as ProposedCall;

test('reserves no slot for a call that it refuses', () => {
  const layer = rateLayer(createRates());
  expect(layer(callAt('first', 0))).toMatchObject({ ok: true, notBefore: 0 });
  for (let asked = 0; asked < 5; asked += 1) {
    expect(layer(callAt(`early_${asked}`, 1))).toMatchObject({ ok: false, code: 'rate_limited' });
  }
  expect(layer(callAt('later', 590_000))).toMatchObject({ ok: true, notBefore: 600_000 });
});
