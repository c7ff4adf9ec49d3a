import { z } from 'zod';
import type { ModelCall } from '../budget/model-call.ts';
import {
  ComposedSentence,
  FactField,
  SENTENCE_FORMS,
  type SentenceForm,
  SentenceRuling,
  SentenceVerdict,
} from '../evidence/answer.ts';
import { Claim } from '../evidence/evidence.ts';
import { MemoryProposal, MemoryRuling } from '../evidence/memory.ts';
import { BoundOutput } from '../evidence/output.ts';
import type { FaultCode } from '../fault/fault.ts';
import { ReplyReason, TerminalCode } from '../fault/terminal-code.ts';
import { JsonRecord } from '../json/exact.ts';
import type { JsonObject } from '../json/json.ts';
import { Name, Text } from '../json/name.ts';
import { Problem } from '../json/problem.ts';
import { SessionStatus } from '../run/session-status.ts';
import { RevocationOutcome } from '../tool/effect-outcome.ts';
import { ToolCost } from '../tool/tool.ts';
import { AddressText, Count, type EventShapes, eventShapes, FaultCodeName, ModelCalls } from './event-shape.ts';

/** Events of the end of a run. */
export interface EndEvents {
  /** The result of revoking the credentials of a run after a confirmed compromise. */
  credentials_revoked: {
    readonly revocation_id: string;
    readonly outcome: RevocationOutcome;
    readonly detail: string;
  };
  /** A model's proposal for the answer, sentence by sentence. None of it is shown before the release check has ruled. */
  answer_composed: {
    readonly attempt: number;
    readonly sentences: readonly ComposedSentence[];
    /** For a rewrite, the place in the answer that each sentence takes. If absent, they are taken in order. */
    readonly places?: readonly number[];
    /** For the first composition, the fields that the request asks for by name, one list per word of the request. */
    readonly asked?: readonly (readonly FactField[])[];
    /** Present if the model wrote nothing usable. */
    readonly failure?: { readonly code: FaultCode; readonly message: string };
    readonly spent: ToolCost;
    readonly calls?: readonly ModelCall[];
  };
  /** The release check's ruling on each new sentence. `check` names the check and its version. */
  sentences_ruled: { readonly attempt: number; readonly check: string; readonly rulings: readonly SentenceRuling[] };
  /** A judge's verdicts on sentences that are not provable. A sentence without a verdict is not supported. */
  sentences_judged: {
    readonly verdicts: readonly SentenceVerdict[];
    /** Present if the judge gave no usable answer. */
    readonly failure?: { readonly code: FaultCode; readonly message: string };
    readonly spent: ToolCost;
    readonly calls?: readonly ModelCall[];
  };
  /** A sentence that the user may see. It is never taken back. The text of a sentence that was left out is empty. */
  sentence_released: {
    readonly index: number;
    readonly text: string;
    readonly form: SentenceForm;
    readonly fields: readonly FactField[];
    /** Present if a judge released it; otherwise the release check did. */
    readonly released_by?: 'judge';
  };
  /** The ruling on the declared output. A bound output is shown when the answer is released. */
  output_ruled: { readonly bound: BoundOutput | null; readonly problems: readonly Problem[] };
  response_compiled: {
    readonly claims: readonly Claim[];
    readonly text: string;
    /** Present for a reply to a message that asked for no action. */
    readonly reply?: ReplyReason;
  };
  memory_proposed: {
    readonly proposals: readonly MemoryProposal[];
    /** The validator that rules on the proposals; present if there is a memory to write to. */
    readonly validator?: string;
  };
  memory_ruled: { readonly rulings: readonly MemoryRuling[] };
  memory_written: {
    readonly written: readonly string[];
    readonly failed: readonly { readonly entry_id: string; readonly reason: string }[];
  };
  run_terminated: {
    readonly code: TerminalCode;
    readonly reason: string;
    readonly detail: JsonObject;
    readonly status: SessionStatus;
    readonly suppressed: readonly TerminalCode[];
    readonly record: string;
  };
}

export const END_EVENTS: EventShapes<EndEvents> = eventShapes<EndEvents>()({
  credentials_revoked: { revocation_id: Name, outcome: RevocationOutcome, detail: Text },
  answer_composed: {
    attempt: Count,
    sentences: z.array(ComposedSentence),
    places: z.array(Count).exactOptional(),
    asked: z.array(z.array(FactField)).exactOptional(),
    failure: z.strictObject({ code: FaultCodeName, message: Text }).exactOptional(),
    spent: ToolCost,
    calls: ModelCalls,
  },
  sentences_ruled: { attempt: Count, check: Name, rulings: z.array(SentenceRuling) },
  sentences_judged: {
    verdicts: z.array(SentenceVerdict),
    failure: z.strictObject({ code: FaultCodeName, message: Text }).exactOptional(),
    spent: ToolCost,
    calls: ModelCalls,
  },
  sentence_released: {
    index: Count,
    text: Text,
    form: z.enum(SENTENCE_FORMS),
    fields: z.array(FactField),
    released_by: z.literal('judge').exactOptional(),
  },
  output_ruled: { bound: BoundOutput.nullable(), problems: z.array(Problem) },
  response_compiled: { claims: z.array(Claim), text: Text, reply: ReplyReason.exactOptional() },
  memory_proposed: { proposals: z.array(MemoryProposal), validator: Name.exactOptional() },
  memory_ruled: { rulings: z.array(MemoryRuling) },
  memory_written: {
    written: z.array(Name),
    failed: z.array(z.strictObject({ entry_id: Name, reason: z.string() })),
  },
  run_terminated: {
    code: TerminalCode,
    reason: Name,
    detail: JsonRecord,
    status: SessionStatus,
    suppressed: z.array(TerminalCode),
    record: AddressText,
  },
});
