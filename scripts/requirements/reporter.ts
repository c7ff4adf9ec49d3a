import { writeFileSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Reporter, TestModule, TestSpecification } from 'vitest/node';
import { citationOf } from './citation-of.ts';
import { type Progress, progress } from './progress.ts';
import { PROGRESS_VARIABLE, REPORT_VARIABLE, type Report } from './report.ts';

const TICK_MS = 1_000;

/** Writes the result of a test run to one JSON file, which other tools read. */
export class RequirementReporter implements Reporter {
  #progress: Progress | null = null;
  #ticking: NodeJS.Timeout | undefined;

  onTestRunStart(files: readonly TestSpecification[]): void {
    const fd = Number(process.env[PROGRESS_VARIABLE] || Number.NaN);
    if (!Number.isInteger(fd)) return;
    const write = (text: string): void => void writeSync(fd, text);
    const reporting = progress(files.length, { write, nowMs: () => performance.now(), isTerminal: isatty(fd) });
    this.#progress = reporting;
    this.#ticking = setInterval(() => reporting.tick(), TICK_MS);
  }

  onTestModuleStart(module: TestModule): void {
    this.#progress?.started(module.relativeModuleId);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#progress?.ended(module.relativeModuleId);
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly { message: string }[]): void {
    clearInterval(this.#ticking);
    const file = process.env[REPORT_VARIABLE];
    if (file === undefined || file === '') return;
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string): number => tests.filter((one) => one.result().state === state).length;
    const report: Report = {
      passed: count('passed'),
      failed: count('failed'),
      skipped: count('skipped'),
      broken: [
        ...errors.map(({ message }) => message),
        ...modules.flatMap((module) => module.errors().map(({ message }) => `${module.relativeModuleId}: ${message}`)),
      ],
      citations: tests.flatMap(citationOf),
    };
    writeFileSync(file, `${JSON.stringify(report)}\n`);
  }
}
