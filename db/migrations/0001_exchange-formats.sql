ALTER TABLE "imports" DROP CONSTRAINT "imports_format";--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_format" CHECK (format in ('mlgym', 'jsonl', 'atif', 'inspect'));