/** An authenticator that fails in any way has identified no one: the decision is refused, and the refusal recorded. */
import { expect, test } from 'vitest';
import type { Authenticator } from '../../../src/ports/approvers.ts';
import { operator, rig } from '../rig.ts';
import { PAY } from './bench.ts';

const throwing = (): never => {
  throw new TypeError('the directory is down');
};
const ANA = { name: 'ana', tenantId: 'tenant_a', roles: ['finance'] } as const;

/** Ways to fail; each is what `identify` does. */
const FAILURES: readonly (readonly [string, () => unknown])[] = [
  ['rejects', () => Promise.reject(new Error('down'))],
  ['throws', throwing],
  ['returns a person without a promise', () => ANA],
  ['returns undefined', () => undefined],
  ['returns null without a promise', () => null],
  ['returns a thenable that throws', () => Object.fromEntries([['then', throwing]])],
  ['promises undefined', async () => undefined],
  ['promises a text', async () => 'ana'],
  ['promises a name alone', async () => ({ name: 'ana' })],
  ['promises roles that are no list', async () => ({ ...ANA, roles: 'finance' })],
  ['promises a role that is no text', async () => ({ ...ANA, roles: [{ toString: () => 'finance' }] })],
  ['promises a tenant that is no text', async () => ({ ...ANA, tenantId: ['tenant_a'] })],
  ['promises a name that is no text', async () => ({ ...ANA, name: { toString: () => 'ana' } })],
  [
    'promises a person whose fields throw',
    async () => ({
      ...ANA,
      get name(): string {
        return throwing();
      },
    }),
  ],
  [
    'promises a revoked proxy',
    async () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    },
  ],
];

test.each(FAILURES)('an authenticator that %s has identified no one', async (_, identify) => {
  const authenticator = { identify } as unknown as Authenticator;
  const bench = rig({ ...PAY, world: { policy: { approvers: { authenticator } } } });
  const { runId, pending } = await bench.invoke();
  const [gate] = pending;
  const answer = { packetHash: gate?.packetHash ?? '', credential: operator('ana', ['finance']), reason: 'fine' };
  await expect(bench.settle(bench.runtime.approve(gate?.gateId ?? '', answer))).rejects.toMatchObject({
    code: 'credential_unknown',
  });
  const refusals = (await bench.events(runId)).filter(({ type }) => type === 'decision_refused');
  expect(refusals).toMatchObject([{ claimed_by: 'ana', code: 'credential_unknown', decision: 'approve' }]);
  expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['look']);
});

test('a person of any class is identified by its three fields', async () => {
  class Account {
    readonly name = 'ana';
    readonly tenantId = 'tenant_a';
    readonly roles: readonly string[] = ['finance'];
    readonly session = new Map();
  }
  const bench = rig({
    ...PAY,
    world: { policy: { approvers: { authenticator: { identify: async () => new Account() } } } },
  });
  const [gate] = (await bench.invoke()).pending;
  const answer = { packetHash: gate?.packetHash ?? '', credential: operator('x'), reason: 'fine' };
  const outcome = await bench.settle(bench.runtime.approve(gate?.gateId ?? '', answer));
  expect(outcome.terminalCode).toBe('SUCCESS');
});
