/** Tests that answers to questions and budget requests must name the packet they are about. */
import { expect, test } from 'vitest';
import { HandoverPacket, QuestionPacket } from '../../../src/model/gate/handover-packet.ts';
import { parse } from '../../../src/model/json/parse.ts';
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
  const packet = parse(QuestionPacket, await bench.runtime.gates.packet(packetHash ?? ''), 'packet_incomplete');
  expect(packet).toMatchObject({ kind: 'question', fields: ['day'], task: 'Do the work', requested_from: 'user' });
  const answer = {
    type: 'question_answered',
    question_id: questionId,
    answers: { day: 'monday' },
    changes_scope: false,
  };
  const stale = bench.runtime.sessions.send(asked.runId, { ...answer, by: 'user_1', packet_hash: OTHER });
  await expect(stale).rejects.toMatchObject({ code: 'grant_stale' });
  const blind = bench.runtime.sessions.send(asked.runId, { ...answer, by: 'user_1' });
  await expect(blind).rejects.toMatchObject({ code: 'grant_stale', message: expect.stringContaining('packet_hash') });
  const done = await bench.settle(
    bench.runtime.sessions.send(asked.runId, { ...answer, by: 'user_1', packet_hash: packetHash }),
  );
  expect(done.terminalCode).toBe('SUCCESS');
  await bench.runtime.records.replay(asked.runId);
});

test('a budget request', async () => {
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
  const packet = parse(
    HandoverPacket,
    await bench.runtime.gates.packet(frozen.handoverHash ?? ''),
    'packet_incomplete',
  );
  expect(packet).toMatchObject({ kind: 'budget', trigger: 'budget_limit', requested_from: 'budget_queue' });
  expect(packet.budget).toMatchObject({ caps: { tool_calls_max: 1 } });
  const more = { type: 'budget_extended', by: 'boss', reason: 'go on', delta: { tool_calls: 5 } };
  await expect(bench.runtime.sessions.send(frozen.runId, { ...more, packet_hash: OTHER })).rejects.toMatchObject({
    code: 'grant_stale',
  });
});
