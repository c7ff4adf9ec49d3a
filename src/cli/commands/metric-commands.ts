import type { Command } from '../command.ts';
import { DECIDER_FLAGS, REASON, SESSION } from './shared-options.ts';

const YES_OR_NO: readonly string[] = ['yes', 'no'];

export const METRIC_COMMANDS: readonly Command[] = [
  {
    name: 'label',
    description: 'Record what a person judged about an ended session, for metrics and evaluations',
    args: [SESSION],
    flags: [
      { flag: '--success <answer>', description: 'the session did what the user wanted', choices: YES_OR_NO },
      { flag: '--expected <code>', description: 'terminal code that it should have had, such as MISSING_INFO' },
      {
        flag: '--anomaly <answer>',
        description: 'the session should have been handed over to a person',
        choices: YES_OR_NO,
      },
      { flag: '--reference <tool>', description: 'tool of the reference path; repeat it in order', repeatable: true },
      { flag: '--corrections <n>', description: 'how often the user corrected the agent', valueKind: 'count' },
      { flag: '--overrides <n>', description: 'approvals that a person took back later', valueKind: 'count' },
      REASON,
      ...DECIDER_FLAGS,
    ],
    examples: [
      {
        line: 'ambit label run_1f0… --success no --expected MISSING_INFO --reason "it guessed the date" --as ana',
        description: 'a later label replaces the fields that it sets',
      },
    ],
    load: async () => (await import('../actions/metrics.ts')).labelSessionAction,
  },
  {
    name: 'metrics',
    description: 'Report the metrics of ended sessions, with their targets',
    flags: [
      {
        flag: '--since <time>',
        description: 'only sessions that ended within this time, such as 7d or 12h (default: all)',
        valueKind: 'time',
      },
      { flag: '--agent <name>', description: 'only sessions of this agent', completion: 'agent' },
      { flag: '--tenant <id>', description: 'only sessions of this tenant' },
      {
        flag: '--risk <class>',
        description: 'only sessions of this risk class',
        choices: ['low', 'moderate', 'high', 'critical'],
      },
      {
        flag: '--by <group>',
        description: 'report each group by itself',
        choices: ['agent', 'tenant', 'risk', 'intent'],
      },
      {
        flag: '--targets <file>',
        description:
          'JSON file with targets, such as {"targets": [{"metric": "retry_rate", "target": {"at_most": 0.1}}]}',
        completion: 'file',
      },
      { flag: '--format <format>', description: 'output format', choices: ['text', 'prometheus', 'otlp'] },
    ],
    examples: [
      { line: 'ambit metrics --since 7d --by agent', description: 'exit 1 if a metric misses its target' },
      { line: 'ambit metrics --format prometheus > /var/lib/node_exporter/ambit.prom', description: 'for a scraper' },
      { line: 'ambit metrics --json', description: 'every value with its numerator, denominator and interval' },
    ],
    load: async () => (await import('../actions/metrics.ts')).reportMetricsAction,
  },
];
