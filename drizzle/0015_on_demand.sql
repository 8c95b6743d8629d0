ALTER TABLE `widgets` ADD `show_hash` blob;--> statement-breakpoint
ALTER TABLE `widgets` ADD `sealed_show_token` blob;--> statement-breakpoint
CREATE UNIQUE INDEX `widgets_show` ON `widgets` (`show_hash`);