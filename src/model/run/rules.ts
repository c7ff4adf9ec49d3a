import { z } from 'zod';

/**
 * The rules that the kernel gained after the first recorded runs. The manifest of every new run lists them, and a run
 * is derived by the rules in its own manifest, so that older journals still derive the same (ADR 0080).
 */
export const RUN_RULES = [
  'tools_in_doubt',
  'finish_shows_doubts',
  'memory_trust',
  'inputs_are_values',
  'resends_charged',
  'drafts_shown',
  'late_refusals',
  'parts_answered',
  'inputs_delivered',
  'unfit_defaults_ignored',
  'companions_belong',
  'repeats_reviewed',
  'requests_order',
  'ends_by_cause',
  'costs_recorded',
  'controls_listed',
  'equal_lanes_reviewed',
  'rulings_renew',
  'boundary_addressed',
  'conditions_by_subject',
  'gates_together',
  'answers_explained',
] as const;
export type RunRule = (typeof RUN_RULES)[number];
export const RunRule: z.ZodType<RunRule> = z.enum(RUN_RULES);
