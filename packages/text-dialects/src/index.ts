export * from './neutral.ts';
