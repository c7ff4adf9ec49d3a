import { z } from 'zod';
import { exact, JsonRecord } from '../json/exact.ts';
import type { JsonObject } from '../json/json.ts';
import { Name, Statement, Text } from '../json/name.ts';
import { Plan } from './plan.ts';

/** The only messages a model may send to the system. None of them has an effect by itself. */
export const PROPOSAL_KINDS = [
  'plan',
  'next_step',
  'tool_arguments',
  'observation_summary',
  'clarification_request',
  'escalation_recommendation',
] as const;
export type ProposalKind = (typeof PROPOSAL_KINDS)[number];
export const ProposalKind: z.ZodType<ProposalKind> = z.enum(PROPOSAL_KINDS);

export type Proposal =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | { readonly kind: 'next_step'; readonly step_id: string }
  | { readonly kind: 'tool_arguments'; readonly step_id: string; readonly args: JsonObject }
  | { readonly kind: 'observation_summary'; readonly observations: readonly string[]; readonly summary: string }
  | { readonly kind: 'clarification_request'; readonly question: string; readonly fields: readonly string[] }
  | { readonly kind: 'escalation_recommendation'; readonly reason: string; readonly refs: readonly string[] };
export const Proposal: z.ZodType<Proposal> = exact(
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('plan'), plan: Plan }),
    z.strictObject({ kind: z.literal('next_step'), step_id: Name }),
    z.strictObject({ kind: z.literal('tool_arguments'), step_id: Name, args: JsonRecord }),
    z.strictObject({ kind: z.literal('observation_summary'), observations: z.array(Name), summary: Text }),
    z.strictObject({ kind: z.literal('clarification_request'), question: Statement, fields: z.array(Name) }),
    z.strictObject({ kind: z.literal('escalation_recommendation'), reason: Statement, refs: z.array(Name) }),
  ]),
);

/** The only five triggers of a reflection. */
export const REFLECTION_TRIGGERS = [
  'tool_failure',
  'low_confidence',
  'conflict',
  'context_bloat',
  'plan_divergence',
] as const;
export type ReflectionTrigger = (typeof REFLECTION_TRIGGERS)[number];
export const ReflectionTrigger: z.ZodType<ReflectionTrigger> = z.enum(REFLECTION_TRIGGERS);
