import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import type { Json } from '../json/json.ts';
import { Name, Text } from '../json/name.ts';
import { Pointer } from '../json/pointer.ts';

/** A field of a committed fact: the evidence id, and a JSON Pointer into its value. */
export interface FactField {
  readonly ref: string;
  readonly pointer: string;
}
export const FactField: z.ZodType<FactField> = exactObject({ ref: Name, pointer: Pointer });

/** One sentence that a composer proposes, with the fields that it rests on. */
export interface ComposedSentence {
  readonly text: string;
  readonly cites: readonly FactField[];
}
export const ComposedSentence: z.ZodType<ComposedSentence> = exactObject({ text: Text, cites: z.array(FactField) });

/** A sentence as a composer returns it. In a rewrite, `number` names the sentence that it replaces, from 1. */
export interface RewrittenSentence extends ComposedSentence {
  readonly number?: number;
}
export const RewrittenSentence: z.ZodType<RewrittenSentence> = exactObject({
  text: Text,
  cites: z.array(FactField),
  number: z.int().exactOptional(),
});

/** The answers of the release check: released, replaced by the deterministic form, or refused. */
export const RELEASE_RULINGS = ['proven', 'not_provable', 'refused'] as const;
export type ReleaseRuling = (typeof RELEASE_RULINGS)[number];

/** The release check's answer about one sentence, and the fields that prove it. */
export interface ReleaseAnswer {
  readonly ruling: ReleaseRuling;
  readonly reason: string;
  readonly fields: readonly FactField[];
}

/** A ruling as it is recorded, with the place of the sentence in the answer. */
export interface SentenceRuling extends ReleaseAnswer {
  readonly index: number;
  /** Present on a sentence that is not provable if the agent's judge may rule on it. */
  readonly judgeable?: true;
}
export const SentenceRuling: z.ZodType<SentenceRuling> = exactObject({
  index: z.int().nonnegative(),
  ruling: z.enum(RELEASE_RULINGS),
  reason: Text,
  fields: z.array(FactField),
  judgeable: z.literal(true).exactOptional(),
});

/** A judge's answer about one sentence that is not provable. */
export interface AnswerVerdict {
  readonly supported: boolean;
  readonly reason: string;
}
export const AnswerVerdict: z.ZodType<AnswerVerdict> = exactObject({ supported: z.boolean(), reason: Text });

/** A verdict as it is recorded, with the place of the sentence in the answer. */
export interface SentenceVerdict extends AnswerVerdict {
  readonly index: number;
}
export const SentenceVerdict: z.ZodType<SentenceVerdict> = exactObject({
  index: z.int().nonnegative(),
  supported: z.boolean(),
  reason: Text,
});

/** `composed` is the model's sentence; `stated` is the deterministic form of the facts that it cites. */
export const SENTENCE_FORMS = ['composed', 'stated'] as const;
export type SentenceForm = (typeof SENTENCE_FORMS)[number];

/** The release check proves a sentence or states facts itself; a judge releases only sentences that are not provable. */
export type ReleasedBy = 'check' | 'judge';

/** A sentence that the user is shown. */
export interface ReleasedSentence {
  readonly text: string;
  readonly form: SentenceForm;
  readonly fields: readonly FactField[];
  /** Present if a judge released it; otherwise the release check did. */
  readonly released_by?: 'judge';
}

/** The sentences of an answer without those that were left out. A sentence that was left out keeps its place, empty. */
export const shownSentences = (released: readonly ReleasedSentence[]): readonly ReleasedSentence[] =>
  released.filter(({ text }) => text !== '');

/** Sentences follow each other in one paragraph; stated facts with a table stand apart. */
export function sentenceSeparator(
  before: Pick<ReleasedSentence, 'text'> | undefined,
  { text }: Pick<ReleasedSentence, 'text'>,
): string {
  if (before === undefined) return '';
  return text.includes('\n') || before.text.includes('\n') ? '\n\n' : ' ';
}

/** A committed fact as a composer and the release check see it. */
export interface AnswerFact {
  readonly ref: string;
  readonly tool: string;
  readonly value: Json;
  /** JSON Pointers to parts that the requester may not see. */
  readonly hidden?: readonly string[];
  /** JSON Pointers to texts that outsiders wrote. */
  readonly untrusted?: readonly string[];
  /** Set if the source or one of its arguments is not trusted; then every text in the value is an outsider's. */
  readonly trusted?: false;
  /** JSON Pointers to lists that are known to be whole. */
  readonly complete?: readonly string[];
  /** Whether the tool changed something. If absent, the tool's name decides. */
  readonly effect?: boolean;
}

/** One sentence, with everything that the release check may use. */
export interface SentenceCase {
  readonly text: string;
  readonly request: string;
  readonly facts: readonly AnswerFact[];
  /** The references that the sentence cites. */
  readonly refs: readonly string[];
}
