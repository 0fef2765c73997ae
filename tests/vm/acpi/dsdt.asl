// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What Linux needs to know of QEMU's virt machine: the processors in one
// container per socket (APMT's affinity names the container), the console, a
// second UART for what the tests print, and PCI. The window of PCI ends below
// the PMUs' registers, which Linux must find unused when it reads APMT; the
// guest's init then moves the devices' BARs there.
DefinitionBlock ("", "DSDT", 2, "GPMU  ", "GRACEVM ", 1)
{
    Scope (\_SB)
    {
#include "cpus.asl"

        Device (COM0)
        {
            Name (_HID, "ARMH0011")
            Name (_UID, 0)
            Name (_CRS, ResourceTemplate ()
            {
                Memory32Fixed (ReadWrite, 0x09000000, 0x1000)
                Interrupt (ResourceConsumer, Level, ActiveHigh, Exclusive) { 33 }
            })
        }

        Device (COM1)
        {
            Name (_HID, "ARMH0011")
            Name (_UID, 1)
            Name (_CRS, ResourceTemplate ()
            {
                Memory32Fixed (ReadWrite, 0x09040000, 0x1000)
                Interrupt (ResourceConsumer, Level, ActiveHigh, Exclusive) { 40 }
            })
        }

        // PCI's configuration space is nobody else's
        Device (RES0)
        {
            Name (_HID, "PNP0C02")
            Name (_UID, 0)
            Name (_CRS, ResourceTemplate ()
            {
                QWordMemory (ResourceProducer, PosDecode, MinFixed, MaxFixed,
                    NonCacheable, ReadWrite, 0, 0x4010000000, 0x401FFFFFFF, 0, 0x10000000)
            })
        }

        Device (PCI0)
        {
            Name (_HID, "PNP0A08")
            Name (_CID, "PNP0A03")
            Name (_SEG, 0)
            Name (_BBN, 0)
            Name (_UID, 0)
            Name (_CCA, 1)
            Name (_CBA, 0x4010000000)
            Name (_CRS, ResourceTemplate ()
            {
                WordBusNumber (ResourceProducer, MinFixed, MaxFixed, PosDecode,
                    0, 0, 0xFF, 0, 0x100)
                DWordMemory (ResourceProducer, PosDecode, MinFixed, MaxFixed,
                    NonCacheable, ReadWrite, 0, 0x10000000, 0x3CFFFFFF, 0, 0x2D000000)
            })
        }
    }
}
