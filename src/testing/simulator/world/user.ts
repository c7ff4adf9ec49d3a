import type { OpenQuestion } from '../../../kernel/people-state.ts';
import type { Prng } from '../prng.ts';
import type { Planned } from './planned.ts';

/** The user answers what was asked, or only a part of it, or something else, or not at all. */
export function answerQuestion(prng: Prng, fault: number, question: OpenQuestion, now: number): readonly Planned[] {
  if (prng.chance(fault / 2)) return [];
  const fields = prng.chance(fault) ? question.fields.slice(1) : question.fields;
  const question_id = prng.chance(fault / 4) ? 'question_99' : question.questionId;
  const answers = Object.fromEntries(fields.map((field) => [field, question.readings[0] ?? 'whatever']));
  const changes_scope = prng.chance(0.3);
  const about = question.packetHash === null ? {} : { packet_hash: question.packetHash };
  const body = { type: 'question_answered' as const, question_id, ...about, answers, changes_scope, by: 'user_sim' };
  return [{ at: now + prng.int(1_000, 300_000), body }];
}
