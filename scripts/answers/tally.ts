import { z } from 'zod';
import { checkSentence } from '../../src/critic/release/release-check.ts';
import type { ReleaseRuling } from '../../src/model/evidence/answer.ts';
import { JsonValue } from '../../src/model/json/exact.ts';
import type { Json } from '../../src/model/json/json.ts';
import { readLines } from '../command-line/read-cases.ts';

/** A request, the facts of a run, and labelled sentences about them. */
export interface AnswerCase {
  readonly id: string;
  readonly request: string;
  readonly facts: readonly {
    readonly ref: string;
    readonly tool: string;
    readonly value: Json;
    readonly hidden?: readonly string[];
    readonly untrusted?: readonly string[];
    readonly complete?: readonly string[];
  }[];
  readonly sentences: readonly LabelledSentence[];
}

interface LabelledSentence {
  readonly text: string;
  readonly refs: readonly string[];
  readonly supported: boolean;
  readonly kind: string;
}

const Pointers = z
  .array(z.string())
  .nullable()
  .transform((pointers) => pointers ?? [])
  .exactOptional();
const AnswerCase: z.ZodType<AnswerCase> = z.object({
  id: z.string(),
  request: z.string(),
  facts: z.array(
    z.object({
      ref: z.string(),
      tool: z.string(),
      value: JsonValue,
      hidden: Pointers,
      untrusted: Pointers,
      complete: Pointers,
    }),
  ),
  sentences: z.array(
    z.object({ text: z.string(), refs: z.array(z.string()), supported: z.boolean(), kind: z.string() }),
  ),
});

/** Reads the cases of a file. Returns a text with the reason if there are none. */
export const readAnswerCases = (path: string): readonly AnswerCase[] | string => readLines(AnswerCase, path);

/** The numbers of sentences by the answer of the check. */
export type Rulings = Record<'released' | 'not_provable' | 'refused', number>;

export interface AnswerTally {
  readonly cases: number;
  readonly sentences: number;
  readonly supported: Rulings;
  readonly unsupported: Rulings;
  readonly by_kind: Readonly<Record<string, Rulings>>;
}

/** A sentence that the check decided against its label: a right one refused, or a wrong one released. */
export interface Mistake {
  readonly id: string;
  readonly text: string;
  readonly ruling: ReleaseRuling;
  readonly reason: string;
}

const none = (): Rulings => ({ released: 0, not_provable: 0, refused: 0 });

/** Puts every sentence through the release check, alone, without a model and without a judge. */
export function tallyAnswers(cases: readonly AnswerCase[]): {
  readonly tally: AnswerTally;
  readonly mistakes: readonly Mistake[];
} {
  const tally = { cases: cases.length, sentences: 0, supported: none(), unsupported: none() };
  const byKind = new Map<string, Rulings>();
  const mistakes: Mistake[] = [];
  for (const { id, request, facts, sentences } of cases)
    for (const { text, refs, supported, kind } of sentences) {
      const { ruling, reason } = checkSentence({ text, request, facts, refs });
      const key = ruling === 'proven' ? 'released' : ruling;
      const kinds = byKind.get(kind) ?? none();
      byKind.set(kind, kinds);
      for (const rulings of [supported ? tally.supported : tally.unsupported, kinds]) rulings[key] += 1;
      tally.sentences += 1;
      if (supported ? ruling === 'refused' : ruling === 'proven') mistakes.push({ id, text, ruling, reason });
    }
  return { tally: { ...tally, by_kind: Object.fromEntries(byKind) }, mistakes };
}
