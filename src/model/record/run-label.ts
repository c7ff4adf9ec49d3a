import { z } from 'zod';
import { TerminalCode } from '../fault/terminal-code.ts';
import { DecisionProof } from '../gate/gate.ts';
import { exact, exactObject } from '../json/exact.ts';
import { Instant, Name, Statement } from '../json/name.ts';

/** What a person judged about an ended run. At least one field is set; the others are not judged. */
export interface LabelFields {
  /** The run did what the user wanted. */
  readonly success?: boolean;
  /** The terminal code that the run should have had. */
  readonly expected_code?: TerminalCode;
  /** The run should have been handed over to a person. */
  readonly anomaly?: boolean;
  /** The tools of the reference path, in order. */
  readonly reference_path?: readonly string[];
  /** How often the user corrected the agent in this run. */
  readonly corrections?: number;
  /** Approvals of this run that a person took back later. */
  readonly overrides?: number;
  /** The depth of lanes that a person approved for this run, if it is more than two. */
  readonly depth_approved?: number;
}

export const LabelFields: z.ZodType<LabelFields> = exact(
  z
    .strictObject({
      success: z.boolean().exactOptional(),
      expected_code: TerminalCode.exactOptional(),
      anomaly: z.boolean().exactOptional(),
      reference_path: z.array(Name).max(1_000).exactOptional(),
      corrections: z.int().nonnegative().exactOptional(),
      overrides: z.int().nonnegative().exactOptional(),
      depth_approved: z.int().positive().exactOptional(),
    })
    .refine((fields) => Object.keys(fields).length > 0, { message: 'must set at least one field, such as success' }),
);

/** A label of a run on record, with its author. A later label of the same run replaces the fields that it sets. */
export interface RunLabel {
  readonly label_id: string;
  readonly run_id: string;
  readonly tenant_id: string;
  readonly fields: LabelFields;
  readonly by: string;
  readonly reason: string;
  readonly at: number;
  readonly proof: DecisionProof;
}
export const RunLabel: z.ZodType<RunLabel> = exactObject({
  label_id: Name,
  run_id: Name,
  tenant_id: Name,
  fields: LabelFields,
  by: Name,
  reason: Statement,
  at: Instant,
  proof: DecisionProof,
});
