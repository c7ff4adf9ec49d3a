/** People who exist. Nobody else can decide anything. */
export const NAMES = ['ana', 'ben', 'chloe'] as const;
export const NOBODY = '';
