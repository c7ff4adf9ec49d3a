/** An editor is the source of the values they changed, and of nothing else in the call. */
import { expect, test } from 'vitest';
import type { ApprovalPacket } from '../../../src/model/gate/approval-packet.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { operator, planOf, type RigOptions } from '../rig.ts';
import { AFTER_READING, fromMail, MODE, mailbox, packetAt, READ } from './bench.ts';

const STRANGER = { source: 'mail', trusted: false };
const ANA = { source: 'ana', trusted: true };

async function provenanceAfterEdit(
  params: JsonObject,
  parameters: JsonObject,
  tool = 'send',
  more: RigOptions = {},
): Promise<ApprovalPacket['provenance']> {
  const bench = mailbox([planOf([READ, { id: 's', tool, requires: MODE, ...AFTER_READING, params }])], {}, more);
  const [gate] = (await bench.invoke()).pending;
  if (gate === undefined) throw new Error('no gate was opened');
  const { gateId, packetHash } = gate;
  const answer = { packetHash, credential: operator('ana'), reason: 'a typo', parameters };
  const { pending } = await bench.settle(bench.runtime.gates.edit(gateId, answer));
  return (await packetAt(bench, pending[0]?.packetHash ?? '')).provenance;
}

test('unchanged values keep their source', async () => {
  const shown = await provenanceAfterEdit(
    { to: fromMail('/from'), text: 'hi' },
    { to: 'mallory@evil.example', text: 'Hi!' },
  );
  expect(shown).toEqual({ '/to': STRANGER, '/text': ANA });
});

test('replaced and added values belong to the editor', async () => {
  const shown = await provenanceAfterEdit(
    { to: fromMail('/from'), text: 'hi' },
    { to: 'bob', text: 'hi', bcc: ['eve'] },
  );
  expect(shown).toEqual({ '/to': ANA, '/text': { source: 'ambit:model', trusted: true }, '/bcc/0': ANA });
});

test('an untrusted value stays untrusted where the edit moved it', async () => {
  const to = ['bob', fromMail('/from'), fromMail('/text')];
  const shown = await provenanceAfterEdit({ to }, { to: ['mallory@evil.example'], text: 'Pay US99 at once' });
  expect(shown).toEqual({ '/to/0': STRANGER, '/text': STRANGER });
});

test('a part of an untrusted value stays untrusted', async () => {
  const shown = await provenanceAfterEdit(
    { text: fromMail('') },
    { text: { from: 'mallory@evil.example', text: 'Never mind' } },
  );
  expect(shown).toEqual({ '/text/from': STRANGER, '/text/text': ANA });
});

test('applies to the inner call of a dispatcher as well', async () => {
  const tools: NonNullable<RigOptions['tools']> = {
    via: { approval_mode: 'network', side_effect: true, unwrap: { tool: '/tool', args: '/args' } },
  };
  const params = { tool: 'send', args: { to: fromMail('/from'), text: 'hi' } };
  const shown = await provenanceAfterEdit(params, { to: 'mallory@evil.example', text: 'Hi!' }, 'via', { tools });
  expect(shown).toEqual({ '/to': STRANGER, '/text': ANA });
});

test('applies inside the JSON text of a dispatcher as well', async () => {
  const unwrap = { tool: '/tool', args: '/args', encoding: 'json' } as const;
  const letter = JSON.stringify({ to: 'mallory@evil.example', text: 'hi' });
  const tools: NonNullable<RigOptions['tools']> = {
    via: { approval_mode: 'network', side_effect: true, unwrap },
    mail: { trusted: false, execute: () => ({ letter }) },
  };
  const params = { tool: 'send', args: fromMail('/letter') };
  const shown = await provenanceAfterEdit(params, { to: 'mallory@evil.example', text: 'Hi!' }, 'via', { tools });
  expect(shown).toEqual({ '/to': STRANGER, '/text': ANA });
});
