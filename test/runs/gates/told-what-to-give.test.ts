/** Whoever answers a gate or gives a grant wrongly is told what to give, in the words of the call. */
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

test('a packet hash that is none: what it is, and where to take it from', async () => {
  const { pending } = await bench.invoke();
  expect(pending).toHaveLength(1);
  const answer = { packetHash: 'junk', credential: operator('lead'), reason: 'ok' };
  await expect(bench.runtime.approve(pending[0]?.gateId ?? '', answer)).rejects.toMatchObject({
    code: 'input_invalid',
    path: '/packetHash',
    message: expect.stringMatching(/packetHash is the address .* outcome\.pending/),
  });
  expect(bench.dispatches).toEqual([]);
});

test('a grant with nothing in it: every field, at once', async () => {
  const given = bench.runtime.giveGrant({} as never, operator('lead'));
  const fields = ['grant_id', 'tenant_id', 'tool', 'arguments', 'uses_max', 'microusd_max', 'reason', 'expires_at'];
  await expect(given).rejects.toMatchObject({ code: 'input_invalid' });
  for (const field of fields) await expect(given).rejects.toThrow(`/${field}: is missing`);
});

test('an argument rule that is none: the four there are', async () => {
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
  await expect(bench.runtime.giveGrant(terms as never, operator('lead'))).rejects.toMatchObject({
    path: '/arguments/to',
    message: expect.stringMatching(/one_of.*prefix.*at_most.*any/),
  });
});
