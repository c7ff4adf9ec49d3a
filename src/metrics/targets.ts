import { z } from 'zod';
import { exactObject } from '../model/json/exact.ts';
import { Name } from '../model/json/name.ts';
import { RiskClass } from '../model/policy/risk.ts';
import { Bound, MetricId } from './metric.ts';
import { RUN_METRICS } from './registry.ts';

/** The values that tell the groups of a report apart. */
export const METRIC_GROUPS = ['agent', 'tenant', 'risk', 'intent'] as const;
export type MetricGroup = (typeof METRIC_GROUPS)[number];
export const MetricGroup: z.ZodType<MetricGroup> = z.enum(METRIC_GROUPS);

/** A target for the runs of a workflow (agent or intent), a risk class or a tenant; without any of them, for all runs. */
export interface MetricTarget {
  readonly metric: MetricId;
  readonly agent?: string;
  readonly intent?: string;
  readonly risk?: RiskClass;
  readonly tenant?: string;
  /** Null removes the target of the registry. */
  readonly target: Bound | null;
}
export const MetricTarget: z.ZodType<MetricTarget> = exactObject({
  metric: MetricId,
  agent: Name.exactOptional(),
  intent: Name.exactOptional(),
  risk: RiskClass.exactOptional(),
  tenant: Name.exactOptional(),
  target: Bound.nullable(),
});

/** The values that all runs of a group share, such as `{ agent: 'billing' }`. */
export type GroupKey = Readonly<Partial<Record<MetricGroup, string>>>;

/**
 * The target of a metric for one group. The rule that names the most values wins, and of equal rules the last. A rule
 * about a part of the runs counts only for a group whose runs all belong to that part.
 */
export function targetFor(metric: MetricId, key: GroupKey, rules: readonly MetricTarget[]): Bound | null {
  let most = -1;
  let target: Bound | null = RUN_METRICS[metric].target;
  for (const rule of rules) {
    const named = METRIC_GROUPS.filter((group) => rule[group] !== undefined);
    const fits = rule.metric === metric && named.every((group) => rule[group] === key[group]);
    if (!fits || named.length < most) continue;
    most = named.length;
    target = rule.target;
  }
  return target;
}
