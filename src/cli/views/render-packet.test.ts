import { expect, test } from 'vitest';
import type { JsonObject } from '../../index.ts';
import type { Paint } from '../terminal/terminal.ts';
import { renderPacket } from './render-packet.ts';

const marked: Paint = (tone, text) => (tone === 'bad' ? `<bad>${text}</bad>` : text);
const HASH = `sha256:${'a'.repeat(64)}`;

const packet: JsonObject = {
  gate: 'GATE_PAY',
  kind: 'action',
  action: 'payments.pay',
  parameters: { to: 'IBAN\u202e12', amount_cents: 4200, note: { text: 'thanks' } },
  provenance: {
    '/to': { source: 'mail.read', trusted: false },
    '/amount_cents': { source: 'orders.lookup', trusted: true },
    '/note/text': { source: 'mail.read', trusted: false },
  },
  position: { n: 2, of: 3 },
  approval_mode: 'destructive',
  risk: 'high',
  blast_radius: 'One payment.',
  rollback_path: 'None.',
  cost: { input_tokens: 5, output_tokens: 5, microusd: 1_250_000 },
  evidence: [],
  requested_by: 'ada',
  deciders: { roles: ['finance', 'lead'], quorum: 2, separation: true },
  expires_at: 90_000,
  via: null,
  something_new: { from: 'a later version' },
};

const shown = renderPacket(packet, HASH, 0, marked);

test('says why a value that a model wrote is untrusted', () => {
  const provenance = { '/to': { source: 'ambit:model', trusted: false } };
  const tainted = renderPacket({ ...packet, parameters: { to: 'DE11' }, provenance }, HASH, 0, marked);
  expect(tainted).toContain('to = "DE11"  <bad>from ambit:model, which had read untrusted text, UNTRUSTED</bad>');
});

test('renders every argument exactly and marks untrusted sources', () => {
  expect(shown).toContain('amount_cents = 4200  from orders.lookup');
  expect(shown).toContain('to = "IBAN\\u{202e}12"  <bad>from mail.read, UNTRUSTED</bad>');
  expect(shown).toContain('note = {"text":"thanks"}  <bad>/note/text from mail.read, UNTRUSTED</bad>');
});

test('renders each input with its source, and marks untrusted ones', () => {
  const input = { types: [], value: { total: 5 }, step_id: 's1', evidence_id: 'ev_1', source: 'mail.read' };
  const inputs = [
    { ...input, key: 'order', trusted: false },
    { ...input, key: 'total\u202e', trusted: true },
  ];
  const withInputs = renderPacket({ ...packet, inputs }, HASH, 0, marked);
  expect(withInputs).toContain('input order = {"total":5}  <bad>from mail.read (ev_1), UNTRUSTED</bad>');
  expect(withInputs).toContain('input total\\u{202e} = {"total":5}  from mail.read (ev_1)');
});

test('renders cost, expiry, approvers and the full hash', () => {
  expect(shown).toContain('cost          $1.25, 10 tokens');
  expect(shown).toContain('expires       1970-01-01 00:01:30Z, in 1 min 30 s');
  expect(shown).toContain('approvers     2 different people with role finance or lead, except ada');
  expect(shown).toContain(HASH);
});

test('renders unknown fields of a packet too', () => {
  expect(shown).toContain('something_new  {"from":"a later version"}');
  for (const [name, value] of Object.entries(packet)) {
    if (typeof value === 'string' && name !== 'kind') expect(shown).toContain(value);
  }
});

test('renders each call of a plan gate with the gates it opens', () => {
  const call = {
    n: 1,
    step_id: 's1',
    action: 'mail.send',
    parameters: { to: 'u1' },
    approval_mode: 'network',
    gates: ['GATE_MAIL'],
  };
  const plan = renderPacket(
    { gate: 'GATE_PLAN', kind: 'plan', task: 'Write to u1', dry_run: { calls: [call] } } as JsonObject,
    HASH,
    0,
    marked,
  );
  expect(plan).toContain('GATE_PLAN  Write to u1');
  expect(plan).toContain('1. mail.send {"to":"u1"} network  opens GATE_MAIL');
});

test('renders the budget of a handed-over run without a header of a gate', () => {
  const caps = { steps_max: 15, side_effects_max: 1, replan_attempts_max: 3, replan_rationale: 'a slow\nledger' };
  const used = { steps: 3, side_effects: 0, replan_attempts: 3 };
  const budget = { caps, used, remaining: { steps: 12, side_effects: 1, replan_attempts: 0 } };
  const lines = renderPacket({ kind: 'review', trigger: 'repeated_failure', budget }, HASH, 0, marked).split('\n');
  expect(lines.map((line) => line.trim().replace(/ {2,}/, ': '))).toEqual([
    `packet: ${HASH}`,
    'budget: steps 3/15, replan_attempts 3/3',
    'not used: side_effects 0/1',
    'other limits: {"replan_rationale":"a slow\\nledger"}',
    'kind: review',
    'trigger: repeated_failure',
  ]);
});
