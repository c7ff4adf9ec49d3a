/** Messages, payments, infrastructure and APIs: preparation is free, and actions need approval with a preview. */
import { expect } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { verifies } from '../../requirements/verifies.ts';
import { operator, planOf, rig } from '../rig.ts';
import {
  approve,
  type Called,
  expectDenied,
  expectGate,
  expectRefused,
  expectSent,
  invokeCall,
  type Tool,
} from './bench.ts';

const MAIL = 'toolpolicy:email-calendar:draft-free-send-approved';
const PAY = 'toolpolicy:procurement:execution-approved';
const OPS = 'toolpolicy:infrastructure:mutations-operator-approved';
const API = 'toolpolicy:live-api:read-free-write-approved';

const MAIL_TOOL: Tool = {
  category: 'email_calendar',
  rules: {
    operation: { at: '/op', free: ['draft', 'inspect'] },
    recipients: ['/to', '/cc'],
    reach: ['@example.com', 'partner@supplier.org'],
    recipients_max: 3,
    content: ['/subject', '/body'],
    timing: '/send_at',
    intent: '/purpose',
  },
};
const LETTER: JsonObject = {
  op: 'send',
  to: ['ann@example.com'],
  subject: 'Delivery',
  body: 'It comes on Monday.',
  send_at: '2030-01-01T09:00:00Z',
  purpose: 'tell the customer',
};
const mail = (changes: JsonObject = {}): Promise<Called> => invokeCall(MAIL_TOOL, { ...LETTER, ...changes });

verifies(MAIL, 'sends a draft and a calendar lookup', async () => {
  expectSent(await mail({ op: 'draft', to: [] }));
  expectSent(await mail({ op: 'inspect' }));
});

verifies(MAIL, 'sending needs approval, with a preview of the recipients', async () => {
  const called = await mail();
  const packet = await expectGate(called, 'GATE_SEND');
  expect(packet['preview']).toEqual({ recipients: ['ann@example.com'], intent: 'tell the customer' });
  expect(await approve(called)).toMatchObject({ terminalCode: 'SUCCESS' });
});

for (const [why, changes] of Object.entries<JsonObject>({
  'a recipient outside': { to: ['eve@evil.example'] },
  'a look-alike domain': { to: ['ann@notexample.com'] },
  'two addresses in one string': { to: ['ann@example.com, eve@evil.example'] },
  'a header in an address': { to: ['ann@example.com\r\nBcc: eve@evil.example'] },
  'a copy to a recipient outside': { cc: 'eve@evil.example' },
  'a copy field without a rule': { bcc: 'ann@example.com' },
  'a copy among headers': { options: { headers: [{ name: 'X-Copy', value: 'eve@evil.example' }] } },
  'a display name': { to: ['Ann <ann@example.com>'] },
  'an address as a display name': { to: ['"ann@example.com" <eve@evil.example>'] },
  'a group': { to: ['team:ann@example.com;'] },
  'a route through another server': { to: ['eve%evil.example@example.com'] },
  'a look-alike letter': { to: ['pa\u0433tner@example.com'] },
  'a header in a subject': { subject: 'Delivery\r\nBcc: eve@evil.example' },
  'too many recipients': { to: ['a', 'b', 'c', 'd'].map((name) => `${name}@example.com`) },
  'a time in the past': { send_at: '2020-01-01T00:00:00Z' },
})) {
  verifies(MAIL, `denied before a gate opens: ${why}`, async () => expectDenied(await mail(changes)));
}

for (const [why, changes] of Object.entries<JsonObject>({
  'no recipients': { to: [] },
  'no content': { body: ' ' },
  'no time': { send_at: 'soon' },
  'no purpose': { purpose: '' },
})) {
  verifies(MAIL, `rejected before a gate opens: ${why}`, async () =>
    expectRefused(await mail(changes), 'VALIDATION_FAIL', 'argument_invalid'),
  );
}

verifies(MAIL, 'an approval does not cover other recipients: the gate opens again', async () => {
  const send = (to: string, id: string) =>
    planOf(
      [
        { id: 'a', tool: 'look' },
        { id, tool: 'act', params: { ...LETTER, to: [to] }, depends_on: ['a'] },
      ],
      {
        plan_id: `plan_${id}`,
      },
    );
  const bench = rig({
    tools: {
      look: {},
      act: {
        ...MAIL_TOOL,
        approval_mode: 'local_write',
        side_effect: true,
        produces: ['done'],
        retries_max: 0,
        execute: ({ to }) => {
          if (JSON.stringify(to) === '["ann@example.com"]') throw new Error('the server hung up');
          return { ok: true };
        },
      },
    },
    plans: [send('ann@example.com', 'b'), send('bob@example.com', 'b')],
  });
  const outcome = await bench.invoke();
  const asked = await approve({ bench, outcome });
  expect(asked).toMatchObject({ status: 'awaiting_gate', pending: [{ name: 'GATE_SEND' }] });
  expect(asked.pending[0]?.packetHash).not.toBe(outcome.pending[0]?.packetHash);
  expect(bench.dispatches.filter(({ tool }) => tool === 'act').map(({ args }) => args['to'])).toEqual([
    ['ann@example.com'],
  ]);
});

const PAY_TOOL: Tool = {
  category: 'payment',
  rules: {
    operation: { at: '/op', free: ['compare', 'prepare'] },
    amount: { at: '/amount', max: 1_000 },
    currency: { at: '/currency', allow: ['EUR'] },
    vendor: { at: '/vendor', allow: ['acme'] },
    chain: { at: '/chain', allow: ['team_lead'] },
    terms: { at: '/terms', allow: ['net_30'] },
    budget: '/budget_left',
    moved: { amount: '/paid', currency: '/currency' },
  },
  execute: ({ amount, currency }) => ({ paid: amount ?? 0, currency: currency ?? '' }),
};
const ORDER: JsonObject = {
  op: 'execute',
  amount: 100,
  currency: 'EUR',
  vendor: 'acme',
  chain: 'team_lead',
  terms: 'net_30',
  budget_left: 250,
};
const pay = (changes: JsonObject = {}, tool: Tool = {}): Promise<Called> =>
  invokeCall({ ...PAY_TOOL, ...tool }, { ...ORDER, ...changes });

verifies(PAY, 'comparing and preparing are free; paying needs approval', async () => {
  expectSent(await pay({ op: 'prepare' }));
  const called = await pay();
  const packet = await expectGate(called, 'GATE_PAYMENT');
  expect(packet['preview']).toEqual({ amount: 100, currency: 'EUR', vendor: 'acme', terms: 'net_30' });
  expect(await approve(called)).toMatchObject({ terminalCode: 'SUCCESS' });
});

for (const changes of [
  { amount: 1_001 },
  { amount: 251 },
  { currency: 'USD' },
  { vendor: 'acme ltd' },
  { chain: 'nobody' },
  { terms: 'net_90' },
]) {
  verifies(PAY, `denied before a gate opens: ${JSON.stringify(changes)}`, async () => expectDenied(await pay(changes)));
}

verifies(PAY, 'rejects an invalid amount', async () => {
  for (const amount of [0, -5, '100', [100], true, 2 ** 53 + 2]) {
    expectRefused(await pay({ amount }), 'VALIDATION_FAIL', 'argument_invalid');
  }
});

verifies(PAY, 'rejects a decision about another amount, and pays nothing', async () => {
  const asked = await pay();
  const other = await pay({ amount: 101 });
  const { gateId = '' } = asked.outcome.pending[0] ?? {};
  const { packetHash = '' } = other.outcome.pending[0] ?? {};
  const decided = asked.bench.runtime.approve(gateId, { packetHash, credential: operator('boss'), reason: 'ok' });
  await expect(asked.bench.settle(decided)).rejects.toMatchObject({ code: 'grant_stale' });
  expect(asked.bench.dispatches).toEqual([]);
});

verifies(PAY, 'does not verify an answer with another amount', async () => {
  const called = await pay({}, { execute: () => ({ paid: 1_000, currency: 'EUR' }) });
  const { runId } = await approve(called);
  const events = await called.bench.events(runId);
  expect(events.find(({ type }) => type === 'step_verified')).toMatchObject({ ok: false, validator: 'payment@1' });
  expect(events.some(({ type }) => type === 'step_committed')).toBe(false);
});

const OPS_TOOL: Tool = {
  category: 'infrastructure',
  rules: {
    operation: { at: '/op', free: ['metrics'] },
    target: { at: '/target', allow: ['web-1'] },
    rollback: '/rollback',
  },
  hazards: { blast_radius: 'One host' },
};
const RESTART: JsonObject = { op: 'restart', target: 'web-1', rollback: 'start the version before' };

verifies(OPS, 'diagnostics are free; a restart needs approval, with its blast radius in the preview', async () => {
  expectSent(await invokeCall(OPS_TOOL, { op: 'metrics', target: 'web-1' }));
  const called = await invokeCall(OPS_TOOL, RESTART);
  const packet = await expectGate(called, 'GATE_OPERATOR');
  expect(packet['preview']).toEqual({
    target: 'web-1',
    blast_radius: 'One host',
    rollback_path: 'start the version before',
  });
  const done = await approve(called);
  expect(done).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(done.record?.approvals).toMatchObject([{ decision: 'approve', approver: 'boss' }]);
});

verifies(OPS, "a call cannot override the tool's declared blast radius", async () => {
  const rules = { ...OPS_TOOL.rules, blast_radius: '/radius' };
  const called = await invokeCall({ ...OPS_TOOL, rules }, { ...RESTART, radius: 'nothing at all' });
  expect(await expectGate(called, 'GATE_OPERATOR')).toMatchObject({ preview: { blast_radius: 'One host' } });
});

verifies(OPS, 'rejects a call without a rollback before a gate opens', async () => {
  const { rollback: _, ...endless } = RESTART;
  expectRefused(await invokeCall(OPS_TOOL, endless), 'VALIDATION_FAIL', 'packet_incomplete');
  expectDenied(await invokeCall(OPS_TOOL, { ...RESTART, target: 'db-1' }));
  const { rollback: __, ...rules } = OPS_TOOL.rules ?? {};
  await expect(invokeCall({ ...OPS_TOOL, rules }, RESTART)).rejects.toMatchObject({ code: 'packet_incomplete' });
});

const API_TOOL: Tool = {
  category: 'live_api',
  rules: { operation: { at: '/method', free: ['GET', 'HEAD'] } },
  output_schema: { type: 'object', required: ['status'], properties: { status: { type: 'string' } } },
  execute: () => ({ status: 'shipped' }),
};

verifies(API, 'reads are free, everything else needs approval', async () => {
  expectSent(await invokeCall(API_TOOL, { method: 'GET', url: '/orders/7' }));
  for (const method of ['POST', 'DELETE', 'get', 'PATCH ']) {
    await expectGate(await invokeCall(API_TOOL, { method, url: '/orders/7' }), 'GATE_API_CHANGE');
  }
});

verifies(
  API,
  'keeps a payload of another shape raw, and ends with VALIDATION_FAIL when repairs are used up',
  async () => {
    const { bench, outcome } = await invokeCall(
      { ...API_TOOL, execute: () => ({ state: 'SHIPPED', v: 2 }) },
      { method: 'GET', url: '/orders/7' },
    );
    expect(outcome).toMatchObject({ terminalCode: 'VALIDATION_FAIL' });
    const observed = (await bench.events(outcome.runId)).filter(({ type }) => type === 'step_observed');
    expect(observed.length).toBeGreaterThan(0);
    for (const event of observed) expect(event).toMatchObject({ raw: { state: 'SHIPPED', v: 2 } });
  },
);
