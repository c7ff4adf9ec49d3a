import { z } from 'zod';
import { exactObject, JsonRecord } from '../../model/json/exact.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { Name } from '../../model/json/name.ts';
import { parseNamed } from '../../model/json/parse.ts';
import type { RunOutcome } from '../../session/outcome.ts';
import { copyInput, readUntrusted } from '../../session/read-input.ts';

/** A question as the outcome of a run shows it. */
export type AskedQuestion = Pick<NonNullable<RunOutcome['question']>, 'questionId' | 'packetHash'>;

/** The arguments of `sessions.answer`. */
export interface AnswerArguments {
  readonly runId: string;
  readonly question: AskedQuestion;
  readonly answers: JsonObject;
  readonly by: string;
}

const AnswerArguments: z.ZodType<AnswerArguments> = exactObject({
  runId: z.string(),
  // Extra properties of the question in the outcome are ignored.
  question: z.object({ questionId: Name, packetHash: z.string().max(200).nullable() }),
  answers: JsonRecord,
  by: z.string(),
});

/** Checks the arguments of `sessions.answer` and copies them. A fault names the wrong argument. */
export const parseAnswer = (args: AnswerArguments): AnswerArguments =>
  readUntrusted(() => copyInput(parseNamed('sessions.answer', AnswerArguments, args, 'input_invalid')));
