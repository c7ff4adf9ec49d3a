import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { RequirementReporter } from './scripts/requirements/reporter.ts';

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', new RequirementReporter()],
  },
});

export default config;
