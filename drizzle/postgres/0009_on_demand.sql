ALTER TABLE "widgets" ADD COLUMN "show_hash" "bytea";--> statement-breakpoint
ALTER TABLE "widgets" ADD COLUMN "sealed_show_token" "bytea";--> statement-breakpoint
ALTER TABLE "widgets" ADD CONSTRAINT "widgets_show" UNIQUE("show_hash");