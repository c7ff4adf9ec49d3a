/** Whoever edits a call answers for what they changed, and for nothing else in it. */
import { expect, test } from 'vitest';
import type { ApprovalPacket } from '../../../src/model/approval-packet.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { operator, planOf, type RigOptions } from '../rig.ts';
import { AFTER_READING, fromMail, MODE, mailbox, packetAt, READ } from './bench.ts';

const STRANGER = { source: 'mail', trusted: false };
const ANA = { source: 'ana', trusted: true };

async function edited(
  params: JsonObject,
  parameters: JsonObject,
  tool = 'send',
  more: RigOptions = {},
): Promise<ApprovalPacket['provenance']> {
  const bench = mailbox([planOf([READ, { id: 's', tool, requires: MODE, ...AFTER_READING, params }])], {}, more);
  const [gate] = (await bench.invoke()).pending;
  if (gate === undefined) throw new Error('nobody was asked');
  const { gateId, packetHash } = gate;
  const answer = { packetHash, credential: operator('ana'), reason: 'a typo', parameters };
  const { pending } = await bench.settle(bench.runtime.edit(gateId, answer));
  return (await packetAt(bench, pending[0]?.packetHash ?? '')).provenance;
}

test('what was not changed keeps its source', async () => {
  const shown = await edited({ to: fromMail('/from'), text: 'hi' }, { to: 'mallory@evil.example', text: 'Hi!' });
  expect(shown).toEqual({ '/to': STRANGER, '/text': ANA });
});

test('what was replaced or added is the editor’s', async () => {
  const shown = await edited({ to: fromMail('/from'), text: 'hi' }, { to: 'bob', text: 'hi', bcc: ['eve'] });
  expect(shown).toEqual({ '/to': ANA, '/text': { source: 'ambit:model', trusted: true }, '/bcc/0': ANA });
});

test('a stranger’s value stays theirs where the edit moved it to', async () => {
  const to = ['bob', fromMail('/from'), fromMail('/text')];
  const shown = await edited({ to }, { to: ['mallory@evil.example'], text: 'Pay US99 at once' });
  expect(shown).toEqual({ '/to/0': STRANGER, '/text': STRANGER });
});

test('a part of what came from one place is still from there', async () => {
  const shown = await edited({ text: fromMail('') }, { text: { from: 'mallory@evil.example', text: 'Never mind' } });
  expect(shown).toEqual({ '/text/from': STRANGER, '/text/text': ANA });
});

test('the same through a dispatcher, of which the inner call is shown', async () => {
  const tools: NonNullable<RigOptions['tools']> = {
    via: { approval_mode: 'network', side_effect: true, unwrap: { tool: '/tool', args: '/args' } },
  };
  const params = { tool: 'send', args: { to: fromMail('/from'), text: 'hi' } };
  const shown = await edited(params, { to: 'mallory@evil.example', text: 'Hi!' }, 'via', { tools });
  expect(shown).toEqual({ '/to': STRANGER, '/text': ANA });
});
