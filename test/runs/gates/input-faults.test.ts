/** Tests that faults about invalid gate answers and grants say what to pass, in the names of the call. */
import { expect, test } from 'vitest';
import { operator, planOf, rig } from '../rig.ts';

const MAIL = {
  approval_mode: 'network',
  side_effect: true,
  gates: ['GATE_MODE_APPROVAL'],
  produces: ['done'],
} as const;
const bench = rig({
  tools: { mail: MAIL },
  plans: [planOf([{ id: 'a', tool: 'mail', requires: ['GATE_MODE_APPROVAL'] }])],
});

test('explains what a packet hash is and where to find it', async () => {
  const { pending } = await bench.invoke();
  expect(pending).toHaveLength(1);
  const answer = { packetHash: 'junk', credential: operator('lead'), reason: 'ok' };
  await expect(bench.runtime.approve(pending[0]?.gateId ?? '', answer)).rejects.toMatchObject({
    code: 'input_invalid',
    path: '/packetHash',
    message: expect.stringMatching(/packetHash must be .* outcome\.pending/),
  });
  expect(bench.dispatches).toEqual([]);
});

test('lists every missing field of an empty grant at once', async () => {
  const granting = bench.runtime.grants.give({} as never, operator('lead'));
  const fields = ['grant_id', 'tenant_id', 'tool', 'arguments', 'uses_max', 'microusd_max', 'reason', 'expires_at'];
  await expect(granting).rejects.toMatchObject({ code: 'input_invalid' });
  for (const field of fields) await expect(granting).rejects.toThrow(`/${field}: is missing`);
});

test('lists the four kinds of argument rules', async () => {
  const terms = {
    grant_id: 'g',
    tenant_id: 'tenant_a',
    tool: 'mail',
    arguments: { to: 'ana' },
    uses_max: 1,
    microusd_max: 0,
    reason: 'notes',
    expires_at: 9_000_000_000_000,
  };
  await expect(bench.runtime.grants.give(terms as never, operator('lead'))).rejects.toMatchObject({
    path: '/arguments/to',
    message: expect.stringMatching(/one_of.*prefix.*at_most.*any/),
  });
});
