/** A tool that calls another: the inner call is classified, checked and approved. */
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import type { ToolSpec } from '../../../src/model/tool/tool.ts';
import { operator, planOf, type Rig, rig } from '../rig.ts';

const MAIL_RULES: JsonObject = {
  operation: { at: '/op', free: ['draft'] },
  recipients: ['/to'],
  reach: ['@example.com'],
  content: ['/body'],
  intent: '/purpose',
};

const OBJECT: NonNullable<ToolSpec['unwrap']> = { tool: '/tool', args: '/input' };
const TEXT = { ...OBJECT, encoding: 'json' } as const;

const rigDispatching = (tool: string, args?: Json, unwrap = OBJECT): Rig =>
  rig({
    tools: {
      run_any: { unwrap, produces: ['done'] },
      ping: {},
      mail: {
        category: 'email_calendar',
        approval_mode: 'local_write',
        side_effect: true,
        rules: MAIL_RULES,
        input_schema: { type: 'object', properties: { op: { type: 'string' } }, required: ['op'] },
      },
    },
    plans: [planOf([{ id: 'a', tool: 'run_any', params: args === undefined ? { tool } : { tool, input: args } }])],
    options: { limits: { onEscalate: 'end' } },
  });
const LETTER: JsonObject = { op: 'send', to: 'ann@example.com', body: 'Hello', purpose: 'greet' };

test('the inner call waits at the gate of its category, and the packet shows it', async () => {
  const bench = rigDispatching('mail', LETTER);
  const outcome = await bench.invoke();
  expect(outcome).toMatchObject({ status: 'awaiting_gate', pending: [{ name: 'GATE_SEND' }] });
  const packet = await bench.runtime.gates.packet(outcome.pending[0]?.packetHash ?? '');
  expect(packet).toMatchObject({ action: 'mail', parameters: LETTER, preview: { recipients: ['ann@example.com'] } });
  expect(bench.dispatches).toEqual([]);
});

test('sends what is free for the inner tool, and rejects what it rejects', async () => {
  const free = rigDispatching('mail', { ...LETTER, op: 'draft' });
  expect(await free.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  const astray = rigDispatching('mail', { ...LETTER, to: 'eve@evil.example' });
  expect(await astray.invoke()).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'argument_not_allowed' });
  const malformed = rigDispatching('mail', { to: 'ann@example.com', op: 7 });
  expect(await malformed.invoke()).toMatchObject({ terminalCode: 'VALIDATION_FAIL' });
  const unknown = rigDispatching('nail', LETTER);
  expect(await unknown.invoke()).toMatchObject({ terminalCode: 'VALIDATION_FAIL' });
  for (const bench of [astray, malformed, unknown]) expect(bench.dispatches).toEqual([]);
});

test('reads inner arguments that are a JSON text, and writes an edit back as one', async () => {
  const bench = rigDispatching('mail', JSON.stringify(LETTER), TEXT);
  const [gate] = (await bench.invoke()).pending;
  const { gateId = '', packetHash = '' } = gate ?? {};
  expect(await bench.runtime.gates.packet(packetHash)).toMatchObject({ action: 'mail', parameters: LETTER });
  const by = { credential: operator('ann'), reason: 'shorter' };
  const parameters = { ...LETTER, body: 'Hi' };
  const edited = await bench.runtime.gates.edit(gateId, { ...by, packetHash, parameters });
  const [second] = edited.pending;
  expect(await bench.runtime.gates.packet(second?.packetHash ?? '')).toMatchObject({ parameters });
  await bench.runtime.approve(second?.gateId ?? '', {
    packetHash: second?.packetHash ?? '',
    credential: operator('bo'),
    reason: 'fine',
  });
  expect(bench.dispatches).toMatchObject([
    { tool: 'run_any', args: { tool: 'mail', input: JSON.stringify(parameters) } },
  ]);
});

test.each([
  ['no JSON', 'send it'],
  ['a list', '[1]'],
  ['a repeated key', '{"op":"draft","op":"send"}'],
  ['a repeated key in another spelling', '{"op":"draft","\\u006fp":"send"}'],
  ['an integer that JavaScript rounds', '{"op":"draft","n":12345678901234567890}'],
  ['a key of the prototype', '{"op":"draft","__proto__":{}}'],
  ['an object instead of a text', { op: 'draft' }],
])('refuses a text with %s', async (_, input) => {
  const bench = rigDispatching('mail', input, TEXT);
  expect(await bench.invoke()).not.toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches).toEqual([]);
});

test('counts keys in a text whose values look like keys', async () => {
  const body = '"op": {"a":1}, \\ "b" : 2';
  const bench = rigDispatching('mail', JSON.stringify({ ...LETTER, op: 'draft', body }), TEXT);
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
});

test('inner arguments may be absent only if the declaration says so', async () => {
  const bench = rigDispatching('ping', undefined, { ...TEXT, optional: true });
  expect(await bench.invoke()).toMatchObject({ terminalCode: 'SUCCESS' });
  const strict = rigDispatching('ping', undefined, TEXT);
  expect(await strict.invoke()).not.toMatchObject({ terminalCode: 'SUCCESS' });
  expect(strict.dispatches).toEqual([]);
  const needed = rigDispatching('mail', undefined, { ...TEXT, optional: true });
  await needed.invoke();
  expect(needed.dispatches).toEqual([]);
});
