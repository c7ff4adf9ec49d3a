/** A tool that calls another: the inner call is classified, checked and approved. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { planOf, type Rig, rig } from '../rig.ts';

const MAIL_RULES: JsonObject = {
  operation: { at: '/op', free: ['draft'] },
  recipients: ['/to'],
  reach: ['@example.com'],
  content: ['/body'],
  intent: '/purpose',
};

const rigDispatching = (tool: string, args: JsonObject): Rig =>
  rig({
    tools: {
      run_any: { unwrap: { tool: '/tool', args: '/input' }, produces: ['done'] },
      mail: {
        category: 'email_calendar',
        approval_mode: 'local_write',
        side_effect: true,
        rules: MAIL_RULES,
        input_schema: { type: 'object', properties: { op: { type: 'string' } }, required: ['op'] },
      },
    },
    plans: [planOf([{ id: 'a', tool: 'run_any', params: { tool, input: args } }])],
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
