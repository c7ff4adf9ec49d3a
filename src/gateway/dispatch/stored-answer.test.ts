/** The preview of an answer in a blob is never mistaken for the answer. */
import { expect, test } from 'vitest';
import { toolSpec } from '../../../test/runs/rig.ts';
import { sha256 } from '../../adapters/node/ids-and-hash.ts';
import type { Json } from '../../model/json/json.ts';
import type { ToolCall } from '../../model/tool/tool.ts';
import type { Tools } from '../../ports/bound-tool.ts';
import { answerFromLedger, compensationFor, type Ledger } from '../gateway.ts';
import { moveToBlob } from './move-to-blob.ts';

const CALL: ToolCall = {
  call_id: 'call_1',
  step_id: 'a',
  tool: 'book',
  args: { seat: 4 },
  args_hash: 'sha256:0',
  idempotency_key: 'key_1',
  attempt: 1,
};
const RUN = { runId: 'run_1', tenantId: 'acme', actor: 'ana', scopes: [] };
const WHOLE = { id: 'b1', text: 'x'.repeat(500) };
const aside = moveToBlob(WHOLE, { payload_max_bytes: 100 }, sha256);
if (aside === null) throw new Error('small');

test('checks the complete answer of a call that is already settled', async () => {
  const texts = new Map<string, string>([
    ['sha256:row', JSON.stringify(aside.raw)],
    [aside.blob.address, aside.blob.text],
  ]);
  const ledger = {
    effect: async () => ({ state: 'settled', result: 'sha256:row' }),
    blob: async (address: string) => texts.get(address) ?? '',
  } as unknown as Ledger;
  const seen: Json[] = [];
  const ruleOn = (raw: Json) => {
    seen.push(raw);
    return { validator: 'v@1', confirmed: 'all', problems: [] } as const;
  };
  const answer = await answerFromLedger(ledger, { call: CALL, run: RUN, ruleOn });
  expect(answer?.event).toMatchObject({ outcome: 'ok', raw: aside.raw, stored: { problems: [] } });
  expect(seen).toEqual([WHOLE]);
});

test('builds no compensation from a preview, but builds one that does not read the result', () => {
  const undo = toolSpec('cancel', { input_schema: { type: 'object', properties: { id: {}, seat: {} } } });
  const made = { call: CALL, result: aside.raw, tool: 'cancel' };
  const proposed = (tools: Partial<Tools>): unknown => compensationFor(tools as Tools, made, undo);
  expect(proposed({})).toMatchObject({ args: null, detail: expect.stringContaining('kept beside it') });
  const args: NonNullable<ReturnType<NonNullable<Tools['probing']>>>['compensate'] = {
    args: (call) => ({ seat: call.args['seat'] ?? null }),
  };
  expect(proposed({ probing: () => ({ compensate: args }) })).toMatchObject({ args: { seat: 4 } });
});
