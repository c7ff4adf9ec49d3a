import type {
  ComposedSentence,
  FactField,
  ReleasedSentence,
  SentenceRuling,
  SentenceVerdict,
} from '../../model/evidence/answer.ts';
import type { BoundOutput } from '../../model/evidence/output.ts';

/** The output of a run whose agent declares one. */
export interface OutputState {
  /** The criteria are met and only the output is missing, so the next plan must bind it. */
  readonly owed?: true;
  /** How often the output of a plan was refused. */
  readonly refusals: number;
  readonly bound: BoundOutput | null;
  /** The secondary criteria that are not met. Present while the output is ruled on. */
  readonly unmet?: readonly string[];
}

/** The answer that a composer writes: its sentences, the rulings on them, and the sentences already released. */
export interface AnswerState {
  readonly attempt: number;
  readonly sentences: readonly ComposedSentence[];
  /** The fields that the request asks for by name, one list per word. Absent until the composer has answered. */
  readonly asked?: readonly (readonly FactField[])[];
  /** The newest sentences have no ruling yet, because the session was paused when they came. */
  readonly unruled?: true;
  /** One ruling per sentence; shorter than `sentences` until the check has ruled. */
  readonly rulings: readonly SentenceRuling[];
  /** The verdicts of the agent's judge. Absent until it has answered. */
  readonly verdicts?: readonly SentenceVerdict[];
  readonly released: readonly ReleasedSentence[];
}
