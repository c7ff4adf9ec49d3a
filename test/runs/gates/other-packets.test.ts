/** Questions, budgets and handovers are frozen and hashed like any gate: an answer can say what it is about. */
import { expect, test } from 'vitest';
import { HandoverPacket, QuestionPacket } from '../../../src/model/handover-packet.ts';
import { parse } from '../../../src/model/parse.ts';
import { CAPS, planOf, rig } from '../rig.ts';

const OTHER = `sha256:${'0'.repeat(64)}`;

test('a question', async () => {
  const input_schema = { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] };
  const bench = rig({
    tools: { book: { produces: ['done'], input_schema } },
    plans: [
      { kind: 'clarification_request', question: 'Which day?', fields: ['day'] },
      planOf([{ id: 's1', tool: 'book', params: { day: 'monday' } }]),
    ],
  });
  const asked = await bench.invoke();
  const { questionId, packetHash } = asked.question ?? { questionId: '', packetHash: '' };
  const packet = parse(QuestionPacket, await bench.runtime.packet(packetHash ?? ''), 'packet_incomplete');
  expect(packet).toMatchObject({ kind: 'question', fields: ['day'], task: 'Do the work', requested_from: 'user' });
  const said = { type: 'question_answered', question_id: questionId, answers: { day: 'monday' }, changes_scope: false };
  const stale = bench.runtime.tell(asked.runId, { ...said, by: 'user_1', packet_hash: OTHER });
  await expect(stale).rejects.toMatchObject({ code: 'grant_stale' });
  const blind = bench.runtime.tell(asked.runId, { ...said, by: 'user_1' });
  await expect(blind).rejects.toMatchObject({ code: 'grant_stale', message: expect.stringContaining('packet_hash') });
  const done = await bench.settle(bench.runtime.tell(asked.runId, { ...said, by: 'user_1', packet_hash: packetHash }));
  expect(done.terminalCode).toBe('SUCCESS');
  await bench.runtime.replay(asked.runId);
});

test('more budget', async () => {
  const bench = rig({
    tools: { read: {}, finish: { produces: ['done'] } },
    caps: { ...CAPS, tool_calls_max: 1 },
    plans: [
      planOf([
        { id: 's1', tool: 'read' },
        { id: 's2', tool: 'finish', depends_on: ['s1'] },
      ]),
    ],
  });
  const frozen = await bench.invoke();
  const packet = parse(HandoverPacket, await bench.runtime.packet(frozen.handoverHash ?? ''), 'packet_incomplete');
  expect(packet).toMatchObject({ kind: 'budget', trigger: 'budget_limit', requested_from: 'budget_queue' });
  expect(packet.budget).toMatchObject({ caps: { tool_calls_max: 1 } });
  const more = { type: 'budget_extended', by: 'boss', reason: 'go on', delta: { tool_calls: 5 } };
  await expect(bench.runtime.tell(frozen.runId, { ...more, packet_hash: OTHER })).rejects.toMatchObject({
    code: 'grant_stale',
  });
});
