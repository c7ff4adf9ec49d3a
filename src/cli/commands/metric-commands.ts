import type { Command } from '../command.ts';

export const METRIC_COMMANDS: readonly Command[] = [
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
