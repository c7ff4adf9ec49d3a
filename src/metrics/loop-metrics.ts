import { RISK_CLASSES } from '../model/policy/risk.ts';
import { quotient, shareOf, sumOf } from './measure.ts';
import type { LoopMetricId, Metric } from './metric.ts';

/** The seven metrics of the orchestration and decision plane texts. The texts give no targets. */
export const LOOP_METRICS: Readonly<Record<LoopMetricId, Metric>> = {
  plan_verification_pass_rate: {
    title: 'Plan verification pass rate',
    unit: 'share',
    target: null,
    numerator: 'verified plans that passed',
    denominator: 'verified plans',
    collection: 'verdicts of the Critic on plans',
    detects: 'planners that propose plans the Critic rejects',
    owner: 'agent team',
    source: 'orchestration',
    measure: ({ all }) => [
      quotient(
        sumOf(all, ({ facts }) => facts.plans.passed),
        sumOf(all, ({ facts }) => facts.plans.verified),
      ),
    ],
  },
  step_completion_rate: {
    title: 'Step completion rate',
    unit: 'share',
    target: null,
    numerator: 'steps whose result was committed',
    denominator: 'steps that were started',
    collection: 'commits in the journals',
    detects: 'steps that fail or are abandoned',
    owner: 'agent team',
    source: 'orchestration',
    measure: ({ all }) => [
      quotient(
        sumOf(all, ({ facts }) => facts.steps.completed),
        sumOf(all, ({ facts }) => facts.steps.started),
      ),
    ],
  },
  retry_and_recovery_rate: {
    title: 'Retry and recovery rate',
    unit: 'share',
    target: null,
    numerator: 'retry: steps that were retried; recovery: retried steps that were completed',
    denominator: 'retry: steps that were started; recovery: retried steps',
    collection: 'attempts in the journals',
    detects: 'unstable tools, and retries that do not help',
    owner: 'platform team',
    source: 'orchestration',
    measure: ({ all }) => {
      const retried = sumOf(all, ({ facts }) => facts.steps.retried);
      const started = sumOf(all, ({ facts }) => facts.steps.started);
      const recovered = sumOf(all, ({ facts }) => facts.steps.recovered);
      return [quotient(retried, started, { name: 'retry' }), quotient(recovered, retried, { name: 'recovery' })];
    },
  },
  escalation_rate: {
    title: 'Escalation rate by risk',
    unit: 'share',
    target: null,
    numerator: 'tasks that were handed over to a person, by risk class',
    denominator: 'tasks of that risk class',
    collection: 'escalations in the journals',
    detects: 'agents that need people too often, or never',
    owner: 'risk and compliance',
    source: 'orchestration',
    measure: ({ tasks }) =>
      RISK_CLASSES.flatMap((risk) => {
        const ofClass = tasks.filter(({ facts }) => facts.risk === risk);
        return ofClass.length === 0 ? [] : [shareOf(ofClass, ({ facts }) => facts.escalated, { name: risk })];
      }),
  },
  lane_success_and_replan_rate: {
    title: 'Lane success and re-plan rate',
    unit: 'share',
    target: null,
    numerator: 'lane success: lanes whose result was accepted; re-plan: tasks with a replaced plan',
    denominator: 'lane success: lanes that returned; re-plan: tasks',
    collection: 'rulings of the parent on its lanes, and plans in the journals',
    detects: 'lanes that do not help their parent',
    owner: 'agent team',
    source: 'orchestration',
    measure: ({ tasks, all }) => [
      quotient(
        sumOf(all, ({ facts }) => facts.lanes.accepted),
        sumOf(all, ({ facts }) => facts.lanes.returned),
        { name: 'lane success' },
      ),
      shareOf(tasks, ({ facts }) => facts.replanned, { name: 're-plan' }),
    ],
  },
  mean_time_to_safe_completion: {
    title: 'Mean time to safe completion',
    unit: 'ms',
    target: null,
    numerator: 'time from the request to the end of successful tasks',
    denominator: 'successful tasks',
    collection: 'times of the first and the last event',
    detects: 'slow tasks, and long waits for people',
    owner: 'operators',
    source: 'orchestration',
    measure: ({ tasks }) => {
      const accepted = tasks.filter(({ facts }) => facts.accepted);
      return [
        quotient(
          sumOf(accepted, ({ facts }) => facts.ended_at - facts.started_at),
          accepted.length,
        ),
      ];
    },
  },
  loop_guard_trip_rate: {
    title: 'Loop guard trip rate',
    unit: 'share',
    target: null,
    numerator: 'tasks in which the loop guard stopped something',
    denominator: 'tasks',
    collection: 'loop guards in the journals',
    detects: 'repeated calls, and plans without progress',
    owner: 'agent team',
    source: 'orchestration',
    measure: ({ tasks }) => [shareOf(tasks, ({ facts }) => facts.loop_guard_tripped)],
  },
};
